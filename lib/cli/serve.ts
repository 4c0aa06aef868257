import {
  CONFIG_PATH,
  describeEnd,
  Program,
  serverNames,
  serverRights,
  serverScript,
} from "../harness/mod.ts";
import { parseArgs } from "@std/cli/parse-args";
import { closest, MisuseError } from "../record/mod.ts";
import type { Command } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { print, say } from "./output.ts";

/** `lab serve`. */
export const command: Command = {
  async help(args) {
    const name = args[0];
    if (name === undefined) {
      return `Usage: deno task lab serve SERVER [flags]\n\nServers: ${serverNames().join(", ")}. ` +
        "Each says what it takes with deno task lab serve SERVER --help. Ctrl-C ends it.";
    }
    await using program = start(name, ["--help"]);
    const lines = await Array.fromAsync(program.lines());
    return lines.join("\n");
  },

  async run([name, ...flags]) {
    if (name === undefined) {
      throw new MisuseError(`Cannot serve without a name: the servers are ${serverNames().join(", ")}`);
    }
    using interruption = onInterrupt();
    await using program = start(name, flags);
    interruption.signal.addEventListener("abort", () => void program.stop());
    const handle = await program.next();
    if (handle !== null) {
      print(JSON.stringify(handle));
      say(
        `Listening on http://${bracketed(String(handle.hostname))}:${handle.port}/; Ctrl-C ends it`,
      );
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
    const hint = nearest === null
      ? `the servers are ${serverNames().join(", ")}`
      : `did you mean ${nearest}?`;
    throw new MisuseError(`Cannot find server ${name}: ${hint}`);
  }
  return new Program(serverScript(name), {
    config: CONFIG_PATH,
    permissions: serverRights(namedAddress(flags)),
    args: flags,
    onStderr: say,
  });
}

/** Where the person wants it to listen: naming an address grants it. */
function namedAddress(flags: readonly string[]): string[] | undefined {
  const { hostname } = parseArgs([...flags], { string: ["hostname"] });
  return hostname ? [bracketed(hostname)] : undefined;
}

/** An address as it stands before a port. */
function bracketed(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
