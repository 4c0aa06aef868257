import { assertEquals, assertThrows } from "@std/assert";
import { parseNetstat } from "./netstat.ts";
import { countTimeWait } from "./socket_sides.ts";

// Not recorded on such systems but written by hand, after the layouts that netstat(1) of macOS and the page on
// netstat in Microsoft's Windows commands show, with addresses of the documentation ranges (RFC 5737, RFC 3849).
const MACOS = `Active Internet connections (including servers)
Proto Recv-Q Send-Q  Local Address          Foreign Address        (state)    
tcp4       0      0  192.0.2.10.52345       198.51.100.7.443       ESTABLISHED
tcp4       0      0  127.0.0.1.8080         127.0.0.1.52350        TIME_WAIT  
tcp4       0      0  127.0.0.1.52351        127.0.0.1.8080         TIME_WAIT  
tcp4       0      0  127.0.0.1.52352        127.0.0.1.8080         FIN_WAIT_2 
tcp4       0      0  127.0.0.1.8080         *.*                    LISTEN     
tcp46      0      0  *.9000                 *.*                    LISTEN     
tcp6       0      0  ::1.52353              ::1.9000               SYN_SENT   
tcp6       0      0  fe80::1%lo0.49152      fe80::1%lo0.9000       CLOSE_WAIT 
tcp6       0      0  2001:db8:1:2:3:4:5:6.52354                      2001:db8::1.443                                SYN_RCVD   
tcp4       0      0  *.*                    *.*                    CLOSED     
udp4       0      0  *.5353                 *.*                               
Active Multipath Internet connections
Proto/ID  Flags      Local Address          Foreign Address        (state)    
`;

const WINDOWS = [
  "",
  "Active Connections",
  "",
  "  Proto  Local Address          Foreign Address        State           PID",
  "  TCP    0.0.0.0:135            0.0.0.0:0              LISTENING       1044",
  "  TCP    127.0.0.1:8080         127.0.0.1:50000        TIME_WAIT       0",
  "  TCP    127.0.0.1:50001        127.0.0.1:8080         TIME_WAIT       0",
  "  TCP    127.0.0.1:50002        127.0.0.1:8080         FIN_WAIT_2      4711",
  "  TCP    192.0.2.10:50003       198.51.100.7:443       ESTABLISHED     4711",
  "  TCP    [::]:9000              [::]:0                 LISTENING       4711",
  "  TCP    [::1]:50004            [::1]:9000             SYN_SENT        4711",
  "  TCP    [fe80::1%4]:50005      [fe80::2%4]:443        LAST_ACK        4711",
  "  UDP    0.0.0.0:5353           *:*                                    2048",
  "",
].join("\r\n");

const brief = (text: string, system: "darwin" | "windows") =>
  parseNetstat(text, system).map(({ family, local, peer, state }) =>
    `${family} ${local.address} ${local.port} ${peer.address} ${peer.port} ${state}`
  );

Deno.test("what netstat of macOS writes is read", () => {
  assertEquals(brief(MACOS, "darwin"), [
    "ipv4 192.0.2.10 52345 198.51.100.7 443 ESTABLISHED",
    "ipv4 127.0.0.1 8080 127.0.0.1 52350 TIME_WAIT",
    "ipv4 127.0.0.1 52351 127.0.0.1 8080 TIME_WAIT",
    "ipv4 127.0.0.1 52352 127.0.0.1 8080 FIN_WAIT2",
    "ipv4 127.0.0.1 8080 0.0.0.0 0 LISTEN",
    "ipv6 :: 9000 :: 0 LISTEN",
    "ipv6 ::1 52353 ::1 9000 SYN_SENT",
    "ipv6 fe80::1 49152 fe80::1 9000 CLOSE_WAIT",
    "ipv6 2001:db8:1:2:3:4:5:6 52354 2001:db8::1 443 SYN_RECV",
    "ipv4 0.0.0.0 0 0.0.0.0 0 CLOSE",
  ]);
});

Deno.test("what netstat of Windows writes is read", () => {
  assertEquals(brief(WINDOWS, "windows"), [
    "ipv4 0.0.0.0 135 0.0.0.0 0 LISTEN",
    "ipv4 127.0.0.1 8080 127.0.0.1 50000 TIME_WAIT",
    "ipv4 127.0.0.1 50001 127.0.0.1 8080 TIME_WAIT",
    "ipv4 127.0.0.1 50002 127.0.0.1 8080 FIN_WAIT2",
    "ipv4 192.0.2.10 50003 198.51.100.7 443 ESTABLISHED",
    "ipv6 :: 9000 :: 0 LISTEN",
    "ipv6 ::1 50004 ::1 9000 SYN_SENT",
    "ipv6 fe80::1 50005 fe80::2 443 LAST_ACK",
  ]);
});

Deno.test("ports and states select as they do in the kernel's table, and sides are counted alike", () => {
  for (const [text, system] of [[MACOS, "darwin"], [WINDOWS, "windows"]] as const) {
    const ports = new Set([8080]);
    const entries = parseNetstat(text, system, { ports, states: new Set(["TIME_WAIT"]) });
    assertEquals(entries.length, 2);
    assertEquals(countTimeWait(entries, ports), { client: 1, server: 1 });
  }
});

Deno.test("a translated state and an address that is cut off are told, where they are wanted", () => {
  const translated = "  TCP    127.0.0.1:8080         0.0.0.0:0              ABHÖREN         4711";
  assertThrows(
    () => parseNetstat(translated, "windows"),
    RangeError,
    "a state is unknown: TCP    127.0.0.1:8080",
  );
  assertEquals(parseNetstat(translated, "windows", { ports: new Set([9]) }), []);
  const cut = "tcp6       0      0  2001:db8:1:2:3.52354   2001:db8::1.443        ESTABLISHED";
  assertThrows(() => parseNetstat(cut, "darwin"), RangeError, "an address is cut off");
});
