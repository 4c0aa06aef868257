import { join } from "node:path";
import { column, type Environment } from "../record/mod.ts";
import { createRun, type CreateRunOptions, type RunStart, type RunWriter } from "./run_writer.ts";

/** What a run of two tables begins with. */
export const START: RunStart = {
  experiment: { id: "handshake-cost", version: 1, title: "Handshake cost", question: "What?", origin: "lab" },
  tables: {
    requests: {
      variant: column.text("the arm"),
      order: column.count("which request"),
      connectMs: column.ms("time to connect"),
      reused: column.flag("whether the connection was reused"),
    },
    sockets: { state: column.text("the state") },
  },
  params: { requests: 500, lifetime: "2.5s", sizes: [1, 2], quick: false, target: null },
  seed: 42,
};

/** The environment of a machine that tells little. */
export const ENVIRONMENT: Environment = {
  system: { os: "linux", kernel: null, arch: "x86_64" },
  cpu: { model: null, count: 2, load1: null },
  memoryBytes: null,
  runtime: { deno: "2.0.0", v8: "13.0", typescript: "5.0" },
  network: {
    ephemeralPorts: [32768, 60999],
    reservedPorts: "",
    tcpTwReuse: 2,
    tcpFinTimeoutS: 60,
    tcpMaxTwBuckets: null,
    somaxconn: 4096,
    congestionControl: "cubic",
    timeWaitMs: 60_000,
  },
  limits: { descriptors: 20_000 },
  isolation: "none",
  source: { commit: null, clean: null },
  reasons: { "system.kernel": "It is not told" },
};

/** Rows of the table `requests`, as lines of CSV. */
export function requestLines(count: number): string {
  return Array.from({ length: count }, (_, order) => `raw/new,${order},0.25,false\n`).join("");
}

/**
 * Makes a run that is complete.
 *
 * @param dataDirectory the folder that runs are kept in
 * @param options when and by what chance it begins
 * @returns its writer, finished
 */
export function completeRun(dataDirectory: string, options: CreateRunOptions = {}): RunWriter {
  const writer = createRun(dataDirectory, START, options);
  writer.append("requests", requestLines(3), 3);
  writer.append("sockets", "TIME_WAIT\n", 1);
  writer.finish({ status: "complete", environment: ENVIRONMENT });
  return writer;
}

/**
 * Makes a symbolic link, in a process of its own: it takes the right to write anywhere.
 *
 * @param target what it points to
 * @param path where it is
 */
export async function makeLink(target: string, path: string): Promise<void> {
  const args = ["run", "--quiet", "--no-config", "--no-prompt", "--allow-read", "--allow-write", "-"];
  const child = new Deno.Command("deno", { args: [...args, target, path], stdin: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("await Deno.symlink(Deno.args[0], Deno.args[1]);"));
  await writer.close();
  if (!(await child.status).success) throw new Error(`Cannot make link ${path}`);
}

/** Rewrites a run's descriptor by hand. */
export function editManifest(path: string, edit: (manifest: Record<string, unknown>) => void): void {
  const file = join(path, "datapackage.json");
  const manifest = JSON.parse(Deno.readTextFileSync(file));
  edit(manifest);
  Deno.writeTextFileSync(file, JSON.stringify(manifest));
}

/**
 * Names a further file in a run's descriptor, one that is no table. The file itself is not made.
 *
 * @param path the folder of the run
 * @param name what it is
 * @param file where it is
 * @param more size and hash
 */
export function addFile(path: string, name: string, file: string, more: Record<string, unknown> = {}): void {
  const resource = { name, path: file, mediatype: "application/octet-stream", ...more };
  editManifest(path, ({ resources }) => void (resources as unknown[]).push(resource));
}
