import { assertEquals, assertThrows } from "@std/assert";
import { parseProcTcp, SOCKET_STATES, type SocketEntry, type SocketState } from "./proc_tcp.ts";

const TCP = `\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     
   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1677 1 0000000036486b11 100 0 0 10 0                      
   1: 0100007F:CB0C 0100007F:ABB7 06 00000000:00000000 03:0000152F 00000000     0        0 0 3 000000005292aa8a                                      
   2: 0100007F:ABB7 0100007F:D366 06 00000000:00000000 03:00001554 00000000     0        0 0 3 000000009471d8e9                                      
   3: 020200C0:90DE 507100CB:01BB 06 00000000:00000000 03:00000EF6 00000000     0        0 0 3 000000001b10dc17                                      
   4: 0100007F:D0E8 0100007F:8809 01 00000000:00000000 00:00000000 00000000     0        0 148988 2 00000000de40b460 20 0 0 10 -1                   
`;

const TCP6 = `\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:8809 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 148986 1 0000000005c30084 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:8809 0000000000000000FFFF00000100007F:D0E8 01 00000000:00000000 00:00000000 00000000     0        0 148990 1 00000000b141eeeb 20 0 0 10 -1
   2: 00000000000000000000000001000000:AE37 00000000000000000000000001000000:8EA0 01 00000000:00000000 00:00000000 00000000     0        0 148991 1 000000003808611a 20 0 0 10 -1
`;

/** An entry in one line, to compare at a glance. */
function line({ family, local, peer, state }: SocketEntry): string {
  return `${family} ${local.address} ${local.port} ${peer.address} ${peer.port} ${state}`;
}

function lines(entries: readonly SocketEntry[]): string[] {
  return entries.map(line);
}

/** A line as the kernel formats it: the number takes four places, more from line 10,000. */
function kernelLine(number: number, localPort: number, state: string): string {
  const port = localPort.toString(16).toUpperCase().padStart(4, "0");
  return `${String(number).padStart(4)}: 0100007F:${port} 0100007F:1F90 ${state} ` +
    `00000000:00000000 03:0000152F 00000000     0        0 0 3 000000005292aa8a`;
}

Deno.test("the IPv4 table is read in its order", () => {
  assertEquals(lines(parseProcTcp(TCP, "ipv4")), [
    "ipv4 0.0.0.0 2024 0.0.0.0 0 LISTEN",
    "ipv4 127.0.0.1 51980 127.0.0.1 43959 TIME_WAIT",
    "ipv4 127.0.0.1 43959 127.0.0.1 54118 TIME_WAIT",
    "ipv4 192.0.2.2 37086 203.0.113.80 443 TIME_WAIT",
    "ipv4 127.0.0.1 53480 127.0.0.1 34825 ESTABLISHED",
  ]);
});

Deno.test("the IPv6 table is read, IPv4 connections of a dual-stack socket as IPv4", () => {
  assertEquals(lines(parseProcTcp(TCP6, "ipv6")), [
    "ipv6 :: 34825 :: 0 LISTEN",
    "ipv4 127.0.0.1 34825 127.0.0.1 53480 ESTABLISHED",
    "ipv6 ::1 44599 ::1 36512 ESTABLISHED",
  ]);
});

Deno.test("a table without sockets, and no table, have no entries", () => {
  assertEquals(parseProcTcp(TCP.slice(0, TCP.indexOf("\n") + 1), "ipv4"), []);
  assertEquals(parseProcTcp("", "ipv6"), []);
});

Deno.test("a port is looked for at both ends", () => {
  assertEquals(lines(parseProcTcp(TCP, "ipv4", { ports: new Set([43959]) })), [
    "ipv4 127.0.0.1 51980 127.0.0.1 43959 TIME_WAIT",
    "ipv4 127.0.0.1 43959 127.0.0.1 54118 TIME_WAIT",
  ]);
  assertEquals(parseProcTcp(TCP, "ipv4", { ports: new Set() }), []);
  assertEquals(lines(parseProcTcp(TCP6, "ipv6", { ports: new Set([36512]) })), [
    "ipv6 ::1 44599 ::1 36512 ESTABLISHED",
  ]);
});

Deno.test("ports and states narrow together", () => {
  const states = new Set<SocketState>(["LISTEN", "ESTABLISHED"]);
  assertEquals(lines(parseProcTcp(TCP, "ipv4", { states })), [
    "ipv4 0.0.0.0 2024 0.0.0.0 0 LISTEN",
    "ipv4 127.0.0.1 53480 127.0.0.1 34825 ESTABLISHED",
  ]);
  assertEquals(lines(parseProcTcp(TCP, "ipv4", { states, ports: new Set([2024, 43959]) })), [
    "ipv4 0.0.0.0 2024 0.0.0.0 0 LISTEN",
  ]);
});

Deno.test("columns that shift from line 10,000 are read all the same", () => {
  const numbers = [9_998, 9_999, 10_000, 10_001, 100_000];
  const text = ["header", ...numbers.map((number) => kernelLine(number, number % 65_536, "06"))].join("\n");
  assertEquals(
    parseProcTcp(`${text}\n`, "ipv4").map(({ local, peer, state }) => [local.port, peer.port, state]),
    numbers.map((number) => [number % 65_536, 8080, "TIME_WAIT"]),
  );
});

Deno.test("a table of 12,000 lines is read to its end", () => {
  const text = ["header", ...Array.from({ length: 12_000 }, (_, index) => kernelLine(index, index, "06"))];
  const entries = parseProcTcp(`${text.join("\n")}\n`, "ipv4");
  assertEquals(entries.length, 12_000);
  assertEquals(entries.every(({ local }, index) => local.port === index), true);
});

Deno.test("every number of a state has the kernel's name", () => {
  const text = [
    "header",
    ...SOCKET_STATES.map((_, index) => kernelLine(index, 1, `0${(index + 1).toString(16)}`)),
  ];
  const states = parseProcTcp(`${text.join("\n").toUpperCase()}\n`, "ipv4").map(({ state }) => state);
  assertEquals(states, [...SOCKET_STATES]);
  assertEquals(states[0], "ESTABLISHED");
  assertEquals(states[5], "TIME_WAIT");
  assertEquals(states[9], "LISTEN");
  assertEquals(states[11], "NEW_SYN_RECV");
});

Deno.test("a state that the list lacks is an error only where the socket is wanted", () => {
  const text = `header\n${kernelLine(0, 80, "0F")}\n`;
  assertThrows(() => parseProcTcp(text, "ipv4"), RangeError, "current value is 0F");
  assertEquals(parseProcTcp(text, "ipv4", { ports: new Set([81]) }), []);
});
