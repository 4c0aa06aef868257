import {
  CONFIG_PATH,
  describeEnd,
  Program,
  serverNames as allServerNames,
  serverRights,
  serverScript,
} from "../harness/mod.ts";
import { parseArgs } from "@std/cli/parse-args";
import { closest, MisuseError } from "../record/mod.ts";
import { issueCertificate, type IssuedCertificate } from "../transport/mod.ts";
import type { Command } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { print, say } from "./output.ts";

/** The servers that call the C library whatever their flags. */
const CALLING_LIBC: ReadonlySet<string> = new Set(["holder", "shard"]);

/** The servers that start threads whatever their flags. */
const STARTING_THREADS: ReadonlySet<string> = new Set(["shard"]);

/** Parts of the lab's own experiments: of no use to a person, but started when named. */
const INTERNAL: ReadonlySet<string> = new Set(["holder", "shard"]);

/** The servers that may be started: one's own command needs no other to do so. */
function serverNames(): string[] {
  return allServerNames().filter((name) => name !== "command");
}

/** Those that are offered to a person. */
function offeredNames(): string {
  return serverNames().filter((name) => !INTERNAL.has(name)).join(", ");
}

/** `lab serve`. */
export const command: Command = {
  async help(args) {
    const name = args[0];
    if (name === undefined) {
      return `Usage: deno task lab serve SERVER [flags]\n\nServers: ${offeredNames()}. ` +
        "Each says what it takes with deno task lab serve SERVER --help. Ctrl-C ends it.";
    }
    await using program = start(name, ["--help"]);
    const lines = await Array.fromAsync(program.lines());
    return lines.join("\n").replace(`Usage: ${name} `, `Usage: deno task lab serve ${name} `);
  },

  async run([name, ...flags]) {
    if (name === undefined) {
      throw new MisuseError(`Cannot serve without a name: the servers are ${offeredNames()}`);
    }
    using interruption = onInterrupt();
    await using program = start(name, flags);
    interruption.signal.addEventListener("abort", () => void program.stop());
    const issued = flags.includes("--tls") ? await issue(flags) : null;
    if (issued) await program.send({ key: issued.key, certificate: issued.certificate });
    const handle = await program.next();
    if (handle !== null) {
      print(JSON.stringify(issued ? { ...handle, ca: issued.ca } : handle));
      const seen = handle.seen ? `; what it saw: ${handle.seen}` : "";
      say(`Listening on ${whereabouts(handle, issued ? "https" : "http")}${seen}; Ctrl-C ends it`);
      if (issued) {
        say('Clients must trust the certificate under "ca" in the line of JSON; it is for this server only');
      }
    }
    const end = await program.ended;
    if (interruption.signal.aborted) return 130;
    // With these it has said itself what was wrong.
    if (end.code !== 2 && end.code !== 3) say(`Server ${name} ${describeEnd(end)}`);
    return end.code;
  },
};

function start(name: string, flags: readonly string[]): Program {
  if (!serverNames().includes(name)) {
    const nearest = closest(name, serverNames());
    const hint = nearest === null ? `the servers are ${offeredNames()}` : `did you mean ${nearest}?`;
    throw new MisuseError(`Cannot find server ${name}: ${hint}`);
  }
  return new Program(serverScript(name), {
    config: CONFIG_PATH,
    permissions: serverRights({ ...namedAddress(flags), ...furtherRights(name, flags) }),
    args: flags,
    onStderr: say,
  });
}

/** Whether a server calls the C library, or starts threads, with these flags. */
function furtherRights(name: string, flags: readonly string[]): { libc: boolean; threads: boolean } {
  const { fds, "server-workers": workers } = parseArgs([...flags]);
  return {
    libc: CALLING_LIBC.has(name) || fds !== undefined,
    threads: STARTING_THREADS.has(name) || workers !== undefined,
  };
}

/** Where the person wants it to listen, and what it is to connect to: naming an address grants it. */
function namedAddress(flags: readonly string[]): { net?: string[] } {
  const { backend = "", upstream = "" } = parseArgs([...flags], { string: ["backend", "upstream"] });
  const onward = [...backend.split(","), ...upstream.split(",")].map((text) =>
    text.replace(/:\d+$/, "").trim()
  );
  const listening = hostnameOf(flags);
  const named = [...(listening ? [bracketed(listening)] : []), ...onward.filter((host) => host !== "")];
  if (named.length === 0) return {};
  return { net: [...(listening ? [] : ["127.0.0.1"]), ...named] };
}

function hostnameOf(flags: readonly string[]): string | undefined {
  return parseArgs([...flags], { string: ["hostname"] }).hostname;
}

/** What a client is to be given: a URL, or the name of a socket that has no port. */
function whereabouts({ hostname, port }: Record<string, unknown>, scheme: "http" | "https"): string {
  return port === 0 ? String(hostname) : `${scheme}://${bracketed(String(hostname))}:${port}/`;
}

/** A certificate for what a server over TLS is reached by. */
async function issue(flags: readonly string[]): Promise<IssuedCertificate> {
  const names = new Set([hostnameOf(flags) || "127.0.0.1", "127.0.0.1", "localhost"]);
  return await issueCertificate({ names: [...names] });
}

/** An address as it stands before a port. */
function bracketed(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
