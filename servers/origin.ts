/**
 * The server that experiments measure against: one site behind `Deno.serve` or `node:http`. It needs
 * `--allow-net` of the address that it listens on, and nothing else.
 *
 * @module
 */
import { CannotRunHereError, MisuseError } from "../lib/record/mod.ts";
import { announce, Lifeline } from "../lib/system/mod.ts";
import { listenDeno } from "./origin/deno_stack.ts";
import { type OriginFlags, readFlags, USAGE } from "./origin/flags.ts";
import { listenNode } from "./origin/node_stack.ts";
import { Site } from "./origin/site.ts";

const LISTEN = { deno: listenDeno, node: listenNode };

/** Asks first, as `node:http` under Deno throws out of reach when the right to listen is missing. */
async function requireRight(hostname: string): Promise<void> {
  const { state } = await Deno.permissions.request({
    name: "net",
    host: hostname.includes(":") ? `[${hostname}]` : hostname,
  });
  if (state === "granted") return;
  throw new CannotRunHereError(
    `Cannot listen on ${hostname} as the right to is missing`,
    `Start it with --allow-net=${hostname}, or name the address in an experiment as the \`net\` of its server`,
  );
}

async function listen({ stack, hostname, port, ports }: OriginFlags): Promise<number[]> {
  await requireRight(hostname);
  const site = new Site(stack);
  const wanted = [port, ...new Array<number>(ports).fill(0)];
  const listening: number[] = [];
  for (const port of wanted) {
    try {
      listening.push(await LISTEN[stack](site, hostname, port));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const remedy = /too many open files/i.test(message)
        ? "Ask for fewer ports, or raise the hard limit of file descriptors (ulimit -Hn)"
        : "Choose a free port and an address of this machine";
      throw new CannotRunHereError(`Cannot listen on ${hostname}:${port}: ${message}`, remedy);
    }
  }
  return listening;
}

/** Serves until the lifeline ends. @returns the exit status */
async function main(): Promise<number> {
  const flags = readFlags(Deno.args);
  if (flags === null) {
    console.log(USAGE);
    return 0;
  }
  using lifeline = new Lifeline();
  const [port, ...ports] = await listen(flags);
  announce({ hostname: flags.hostname, port, ports, pid: Deno.pid });
  while (await lifeline.nextLine() !== null);
  return 0;
}

try {
  // Requests in flight have nobody left who waits for them.
  Deno.exit(await main());
} catch (error) {
  if (error instanceof MisuseError) {
    console.error(error.message);
    Deno.exit(2);
  }
  if (error instanceof CannotRunHereError) {
    console.error(error.message);
    Deno.exit(3);
  }
  throw error;
}
