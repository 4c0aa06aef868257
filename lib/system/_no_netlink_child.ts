/** A process of the tests that may open no netlink socket, as in some sandboxes: reads the socket table. */
import { announce } from "./announce.ts";
import { openLibc } from "./libc.ts";
import { acceptQueues } from "./listen_queue.ts";
import { countSockets } from "./socket_counts.ts";
import { readSockets, socketTableSupport } from "./sockets.ts";
import { UnsupportedError } from "./unsupported_error.ts";

/** The number of socket(2). Source: Linux, `asm/unistd_64.h`, `asm-generic/unistd.h`. */
const SOCKET_CALL = Deno.build.arch === "x86_64" ? 41 : 198;
const AF_NETLINK = 16;

/** Sources: prctl(2), seccomp(2), `linux/filter.h`, `linux/seccomp.h`. */
const [PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER_MODE] = [22, 38, 2n];
const [LOAD, JUMP_IF_EQUAL, RETURN] = [0x20, 0x15, 0x06];
const [NUMBER_AT, FIRST_ARGUMENT_AT] = [0, 16];
const [ALLOW, FAIL_WITH_EPERM] = [0x7fff0000, 0x00050001];

const program: readonly (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = [
  [LOAD, 0, 0, NUMBER_AT],
  [JUMP_IF_EQUAL, 0, 3, SOCKET_CALL],
  [LOAD, 0, 0, FIRST_ARGUMENT_AT],
  [JUMP_IF_EQUAL, 0, 1, AF_NETLINK],
  [RETURN, 0, 0, FAIL_WITH_EPERM],
  [RETURN, 0, 0, ALLOW],
];

const { memset, prctl } = openLibc({
  memset: { parameters: ["buffer", "i32", "usize"], result: "u64" },
  prctl: { parameters: ["i32", "usize", "buffer", "usize", "usize"], result: "i32" },
});
const filter = new DataView(new ArrayBuffer(8 * program.length));
program.forEach(([code, ifTrue, ifFalse, value], index) => {
  filter.setUint16(8 * index, code, true);
  filter.setUint8(8 * index + 2, ifTrue);
  filter.setUint8(8 * index + 3, ifFalse);
  filter.setUint32(8 * index + 4, value, true);
});
const header = new DataView(new ArrayBuffer(16));
header.setUint16(0, program.length, true);
header.setBigUint64(8, memset(filter, 0, 0n), true);

const before = socketTableSupport();
const isFiltered = prctl(PR_SET_NO_NEW_PRIVS, 1n, null, 0n, 0n) === 0 &&
  prctl(PR_SET_SECCOMP, FILTER_MODE, header, 0n, 0n) === 0;
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const ports = new Set([listener.addr.port]);
const entries = readSockets({ ports });
const counts = countSockets(ports);
let queues = "";
try {
  acceptQueues(listener.addr.port);
} catch (error) {
  queues = error instanceof UnsupportedError ? error.problem : `${error}`;
}
announce({
  queues,
  before,
  isFiltered,
  after: socketTableSupport(),
  port: listener.addr.port,
  entries,
  counts,
});
