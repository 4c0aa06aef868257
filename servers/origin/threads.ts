import { CannotRunHereError } from "../../lib/record/mod.ts";
import { cannotListen } from "../_shared/program.ts";
import type { OriginFlags } from "./flags.ts";
import type { Identity } from "./identity.ts";
import { type Ports, portsWanted, type Serving } from "./serve.ts";
import type { ThreadReport } from "./stats.ts";

/** What a thread is told. */
export type ThreadOrder =
  /** To serve. */
  | {
    readonly kind: "serve";
    readonly flags: OriginFlags;
    readonly identity: Identity | null;
    readonly ports: Ports;
  }
  /** To tell what it has counted. */
  | { readonly kind: "report" }
  /** What every thread has counted, which it has asked for. */
  | { readonly kind: "gathered"; readonly reports: readonly ThreadReport[] };

/** What a thread tells. */
export type ThreadNews =
  | { readonly kind: "listening"; readonly ports: Ports }
  | { readonly kind: "refused"; readonly problem: string; readonly remedy: string }
  | { readonly kind: "report"; readonly report: ThreadReport }
  /** It wants to know what every thread has counted. */
  | { readonly kind: "gather" };

/**
 * Serves with several threads at the same ports. The system spreads connections over them by a hash of their
 * addresses, so that each connection stays with one thread, and not every thread has as many.
 *
 * Needs the right to read the lab's own files, from which a thread is started.
 *
 * @param flags what the origin was told
 * @param identity what it shows over TLS
 * @returns the origin
 * @throws {CannotRunHereError} a port cannot be had, or the files may not be read
 */
export async function serveByThreads(flags: OriginFlags, identity: Identity | null): Promise<Serving> {
  await requireFiles();
  requireFree(flags);
  const threads: Thread[] = [];
  const gather = () => Promise.all(threads.map((thread) => thread.report()));
  const start = async (ports: Ports) => {
    const thread = new Thread(gather);
    threads.push(thread);
    return await thread.listen({ kind: "serve", flags, identity, ports });
  };
  const ports = await start(portsWanted(flags));
  await Promise.all(Array.from({ length: flags.workers - 1 }, () => start(ports)));
  return { ports, gather };
}

const MAIN = new URL("./thread_main.ts", import.meta.url);

/** Makes sure of the right to read what a thread is started from: without it the thread would die out of reach. */
async function requireFiles(): Promise<void> {
  const { state } = await Deno.permissions.request({ name: "read", path: MAIN });
  if (state === "granted") return;
  throw new CannotRunHereError(
    "Cannot serve with several workers as the right to read the files of the lab is missing",
    "Start it with --allow-read of the folder of the lab, or name its server in an experiment as one of `threads`",
  );
}

/** Other programs' sockets that may share a port would be let share this one too: nobody else is to have it. */
function requireFree({ hostname, port }: OriginFlags): void {
  try {
    Deno.listen({ hostname, port }).close();
  } catch (error) {
    throw cannotListen(hostname, port, error);
  }
}

class Thread {
  readonly #worker = new Worker(MAIN, { type: "module" });
  readonly #listening = Promise.withResolvers<Ports>();
  /** Those who wait for a report, in the order in which they asked. */
  readonly #asking: ((report: ThreadReport) => void)[] = [];

  constructor(gather: Serving["gather"]) {
    this.#worker.onmessage = async ({ data: news }: MessageEvent<ThreadNews>) => {
      if (news.kind === "listening") this.#listening.resolve(news.ports);
      else if (news.kind === "refused") {
        this.#listening.reject(new CannotRunHereError(news.problem, news.remedy));
      } else if (news.kind === "report") this.#asking.shift()!(news.report);
      else this.#tell({ kind: "gathered", reports: await gather() });
    };
  }

  listen(order: ThreadOrder): Promise<Ports> {
    this.#tell(order);
    return this.#listening.promise;
  }

  report(): Promise<ThreadReport> {
    const { promise, resolve } = Promise.withResolvers<ThreadReport>();
    this.#asking.push(resolve);
    this.#tell({ kind: "report" });
    return promise;
  }

  #tell(order: ThreadOrder): void {
    this.#worker.postMessage(order);
  }
}
