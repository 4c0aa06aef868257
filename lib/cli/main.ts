/**
 * The command line of the lab, `deno task lab`. It reads and shows; what measures or writes is a
 * program of its own with rights of its own.
 *
 * @module
 */
import type { Command } from "./command.ts";

interface Verb {
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<{ command: Command }>;
}

const VERBS: Readonly<Record<string, Verb>> = {
  list: {
    usage: "list",
    summary: "The experiments, their questions, and how long they take at most",
    load: () => import("./list.ts"),
  },
  run: {
    usage: "run EXPERIMENT|FILE [--param value …]",
    summary: "Measure, and save the raw numbers to data/",
    load: () => import("./run.ts"),
  },
  probe: {
    usage: "probe idle --target URL",
    summary: "How long a server keeps an idle connection, and the client setting that is safe",
    load: () => import("./probe.ts"),
  },
  load: {
    usage: "load URL",
    summary: "What a server answers at a load, and how long that takes",
    load: () => import("./load.ts"),
  },
  runs: { usage: "runs [EXPERIMENT]", summary: "The saved runs", load: () => import("./runs.ts") },
  show: { usage: "show RUN|latest", summary: "One saved run", load: () => import("./show.ts") },
  verify: {
    usage: "verify [RUN …]",
    summary: "Check saved runs against their hashes and schemas",
    load: () => import("./verify.ts"),
  },
  notebook: {
    usage: "notebook run FILE …",
    summary: "Execute notebooks without a browser",
    load: () => import("./notebook.ts"),
  },
  serve: {
    usage: "serve SERVER [flags]",
    summary: "Start one of the lab's servers",
    load: () => import("./serve.ts"),
  },
  doctor: { usage: "doctor", summary: "What this machine is and allows", load: () => import("./doctor.ts") },
};

function usage(): string {
  const width = Math.max(...Object.values(VERBS).map((verb) => verb.usage.length));
  return [
    "connlab: a notebook laboratory for network connections",
    "",
    "Usage: deno task lab VERB …",
    "",
    ...Object.values(VERBS).map((verb) => `  ${verb.usage.padEnd(width)}  ${verb.summary}`),
    "",
    "Every verb explains itself with --help. Exit status: 0 done; 1 failed, with what there is saved;",
    "2 misuse, nothing was started; 3 this machine cannot; 130 interrupted, the run is kept.",
  ].join("\n");
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "-h" || name === "--help") {
    console.log(usage());
    return name === undefined ? 2 : 0;
  }
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb) {
    const { closest, MisuseError } = await import("../record/mod.ts");
    const nearest = closest(name, Object.keys(VERBS));
    const hint = nearest === null
      ? `the verbs are ${Object.keys(VERBS).join(", ")}`
      : `did you mean ${nearest}?`;
    throw new MisuseError(`Cannot find verb ${name}: ${hint}`);
  }
  const { command } = await verb.load();
  if (!rest.includes("--help") && !rest.includes("-h")) return await command.run(rest);
  const { print } = await import("./output.ts");
  print(await command.help(rest.filter((arg) => arg !== "--help" && arg !== "-h")));
  return 0;
}

/** Says what went wrong and gives the exit status for it. */
async function report(error: unknown): Promise<number> {
  const { CannotRunHereError, MisuseError } = await import("../record/mod.ts");
  const { say } = await import("./output.ts");
  say(error instanceof Error ? error.message : String(error));
  if (error instanceof MisuseError) return 2;
  return error instanceof CannotRunHereError ? 3 : 1;
}

Deno.exit(await main(Deno.args).catch(report));
