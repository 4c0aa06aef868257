import { z } from "zod";
import type { Environment } from "../record/mod.ts";

const NOT_RECORDED = "Not recorded by the version that made the run";

const number = z.number().nullable();
const text = z.string().nullable();

/** What may be `null` here is a fact that a version of connlab may not know of yet; the rest is always there. */
const RECORDED = z.looseObject({
  system: z.looseObject({ os: z.string(), kernel: text, arch: z.string() }),
  cpu: z.looseObject({ model: text, count: number, load1: number }),
  memoryBytes: number,
  runtime: z.looseObject({ deno: z.string(), v8: z.string(), typescript: z.string() }),
  network: z.looseObject({
    ephemeralPorts: z.tuple([z.number(), z.number()]).nullable(),
    reservedPorts: text,
    tcpTwReuse: number,
    tcpFinTimeoutS: number,
    tcpMaxTwBuckets: number,
    somaxconn: number,
    congestionControl: text,
    timeWaitMs: number,
  }),
  limits: z.looseObject({ descriptors: number }),
  isolation: z.enum(["none", "namespace", "link"]),
  source: z.looseObject({ commit: text, clean: z.boolean().nullable() }),
  reasons: z.record(z.string(), z.string()),
});

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of a group with each missing fact as `null`, and why under its path in `reasons`. */
function completed(shape: Fields, recorded: Fields, reasons: Record<string, unknown>, path = ""): Fields {
  const whole: Record<string, unknown> = { ...recorded };
  for (const [name, schema] of Object.entries(shape)) {
    const found = recorded[name];
    if (schema instanceof z.ZodObject && (found === undefined || isFields(found))) {
      whole[name] = completed(schema.shape, found ?? {}, reasons, `${path}${name}.`);
    } else if (schema instanceof z.ZodNullable && found === undefined) {
      whole[name] = null;
      reasons[`${path}${name}`] = NOT_RECORDED;
    }
  }
  return whole;
}

/**
 * The shape of a run's environment. A fact that a later version added is unknown in an older run, which stays
 * readable: it is `null` with a reason, like any other fact that could not be read.
 */
export const ENVIRONMENT: z.ZodType<Environment> = z.preprocess((recorded) => {
  if (!isFields(recorded) || !isFields(recorded.reasons)) return recorded;
  const reasons = { ...recorded.reasons };
  return { ...completed(RECORDED.shape, recorded, reasons), reasons };
}, RECORDED);
