import { choice } from "../../lib/record/mod.ts";
import { HOSTNAME, misuse, optional, PORT, type ReadFlags, type ServerUsage } from "../_shared/flags.ts";
import { type BehaviourName, BEHAVIOURS } from "./behaviours.ts";
import { SETTINGS } from "./settings.ts";

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[];

const params = {
  behaviour: optional(choice(NAMES, { default: "garbage", help: "what it does wrong; see below" })),
  ...SETTINGS,
  hostname: HOSTNAME,
  port: PORT,
};

/** Flags that mean something for every behaviour. */
const ALWAYS: readonly string[] = ["behaviour", "hostname", "port"];

/** The faulty server on the command line. */
export const FAULTY: ServerUsage<typeof params> = {
  name: "faulty",
  about: "Speaks HTTP/1.1 and does one thing wrong.",
  params,
  details: `What --behaviour may be, and the flags that it heeds:

${Object.entries(BEHAVIOURS).map(([name, { help, heeds }]) => describe(name, help, heeds)).join("\n")}

Paths at a second port, for what it has seen:

  /log     connections and requests in order: ports, times in milliseconds, what it did, who ended it and how
  /stats   counts`,
};

function describe(name: string, help: string, heeds: readonly string[]): string {
  const flags = heeds.length > 0 ? ` (${heeds.map((flag) => `--${flag}`).join(", ")})` : "";
  return `  ${name.padEnd(23)}${help}${flags}`;
}

/**
 * Checks that every flag that was given means something.
 *
 * @param flags what was written
 * @returns the behaviour
 * @throws {MisuseError} there is no behaviour, or it does not heed a flag
 */
export function requireBehaviour({ values, given }: ReadFlags<typeof params>): BehaviourName {
  const { behaviour, advertise } = values;
  if (behaviour === null) {
    throw misuse(FAULTY, `--behaviour is missing: write --behaviour ${NAMES.join("|")}`);
  }
  const heeded: readonly string[] = [...ALWAYS, ...BEHAVIOURS[behaviour].heeds];
  const unheeded = [...given].find((name) => !heeded.includes(name));
  if (unheeded !== undefined) throw misuse(FAULTY, `--${unheeded} means nothing to ${behaviour}`);
  if (advertise % 1000 !== 0) {
    throw misuse(FAULTY, `--advertise must be whole seconds: current value is ${advertise}ms`);
  }
  return behaviour;
}
