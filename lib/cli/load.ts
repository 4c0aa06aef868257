import { MisuseError } from "../record/mod.ts";
import type { Command } from "./command.ts";
import { describeLoad } from "./load_text.ts";
import { helpToRun, runExperiment } from "./run_experiment.ts";

/** The experiment behind the verb. */
const LOAD = "load";

/** `lab load`. */
export const command: Command = {
  help: () => helpToRun("load URL [--allow-remote HOST] [--param value …]", LOAD, { without: ["target"] }),

  async run([url, ...args]) {
    if ([url, ...args].some((arg) => arg !== undefined && /^--server-command(=|$)/.test(arg))) {
      throw new MisuseError(
        "Cannot load a --server-command, which is of lab run server-limits: start the server yourself and " +
          "write lab load URL",
      );
    }
    if (url === undefined || url.startsWith("-")) {
      throw new MisuseError(
        "Cannot load without a target: write lab load URL, or lab run load for the lab's own server",
      );
    }
    requireUrl(url);
    if (args.some((arg) => /^--target(=|$)/.test(arg))) {
      throw new MisuseError("Cannot load two targets: write lab load URL, without --target");
    }
    return await runExperiment(LOAD, [`--target=${url}`, ...args], {
      tell: describeLoad,
      tellsWarnings: true,
    });
  },
};

/** Said of the URL as it was written: nobody has typed a --target. */
function requireUrl(url: string): void {
  if (/^https:/i.test(url)) {
    throw new MisuseError(`Cannot load ${url} as load speaks no TLS: give a URL that begins with http://`);
  }
  if (/^http:\/\//i.test(url) && URL.canParse(url)) return;
  const meant = url.includes(":/") ? null : URL.parse(`http://${url}`);
  throw new MisuseError(`Cannot load ${url}: write ${meant?.href ?? "http://HOST:PORT/PATH"}`);
}
