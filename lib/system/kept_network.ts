import { cString, openLibc } from "./libc.ts";
import { UnsupportedError } from "./unsupported_error.ts";

// Sources: open(2), setns(2), close(2).
const SYMBOLS = {
  // Variadic in C; without a third argument the call is the same for both kinds.
  open: { parameters: ["buffer", "i32"], result: "i32" },
  setns: { parameters: ["i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

let opened: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | null = null;

function calls() {
  if (Deno.build.os !== "linux") throw new UnsupportedError("keep a network", "network namespaces");
  return opened ??= openLibc(SYMBOLS);
}

/** O_RDONLY | O_CLOEXEC of open(2). */
const CLOSE_ON_EXEC = 0o2000000;

/** CLONE_NEWNET of setns(2): the descriptor must be that of a network. */
const CLONE_NEWNET = 0x40000000;

/**
 * A network namespace that the calling thread can come back to, after it has entered others: so that one thread
 * follows what goes on in several. It lasts for as long as it is kept.
 *
 * Needs `--allow-ffi` of the C library, and the right to administer the network. Linux only. Source: setns(2).
 *
 * @example
 * ```ts ignore
 * enterFreshNetwork({ "net.ipv4.tcp_tw_reuse": 0 });
 * using first = new KeptNetwork();
 * enterFreshNetwork({ "net.ipv4.tcp_tw_reuse": 1 });
 * first.enter();
 * ```
 */
export class KeptNetwork implements Disposable {
  #descriptor: number;

  /**
   * Keeps the network that the calling thread is in.
   *
   * @throws {UnsupportedError} the system has no network namespaces
   * @throws {Error} there is no descriptor for it
   */
  constructor() {
    this.#descriptor = calls().open(cString("/proc/thread-self/ns/net"), CLOSE_ON_EXEC);
    if (this.#descriptor < 0) throw new Error("Cannot keep this network as it cannot be opened");
  }

  /**
   * Takes the calling thread there: sockets that it makes from now on are in this network, and so is the socket
   * table that it reads. Those that there were stay where they are.
   *
   * @throws {Error} it is kept no more, or the system refused
   */
  enter(): void {
    if (this.#descriptor < 0) throw new Error("Cannot enter this network as it is kept no more");
    if (calls().setns(this.#descriptor, CLONE_NEWNET) === 0) return;
    throw new Error("Cannot enter this network as the system refused");
  }

  /** Keeps it no more. A thread that is in it stays there. */
  [Symbol.dispose](): void {
    if (this.#descriptor < 0) return;
    calls().close(this.#descriptor);
    this.#descriptor = -1;
  }
}
