import { cString, openLibc } from "./libc.ts";
import { isAlive } from "./process.ts";
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
   * Keeps the network that the calling thread is in, or that of a process.
   *
   * @param pid the id of the process. @default {the calling thread}
   * @throws {UnsupportedError} the system has no network namespaces
   * @throws {Deno.errors.NotFound} there is no such process
   * @throws {Error} there is no descriptor for it
   */
  constructor(pid?: number) {
    const [whose, otherwise] = pid === undefined
      ? ["this network", "this process may be out of descriptors"]
      : [`the network of process ${pid}`, "it is not of this run, or this process is out of descriptors"];
    this.#descriptor = calls().open(cString(`/proc/${pid ?? "thread-self"}/ns/net`), CLOSE_ON_EXEC);
    if (this.#descriptor >= 0) return;
    if (pid !== undefined && !isAlive(pid)) {
      throw new Deno.errors.NotFound(`Cannot keep ${whose} as there is no such process`);
    }
    throw new Error(`Cannot keep ${whose} as it cannot be opened: ${otherwise}`);
  }

  /**
   * Takes the calling thread there: sockets that it makes from now on are in this network, and so is the socket
   * table that it reads. Those that there were stay where they are.
   *
   * @throws {Error} it is kept no more, or this process may not administer it: it is the machine's, or another run's
   */
  enter(): void {
    if (this.#descriptor < 0) throw new Error("Cannot enter this network as it is kept no more");
    if (calls().setns(this.#descriptor, CLONE_NEWNET) === 0) return;
    throw new Error("Cannot enter this network as this process may not administer it");
  }

  /** Keeps it no more. A thread that is in it stays there. */
  [Symbol.dispose](): void {
    if (this.#descriptor < 0) return;
    calls().close(this.#descriptor);
    this.#descriptor = -1;
  }
}
