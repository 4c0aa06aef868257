import { z } from "zod";
import { FORMAT_VERSION, type Manifest, UNITS } from "../record/mod.ts";

const unit = z.enum(UNITS);
const number = z.number().nullable();
const text = z.string().nullable();

const field = z.looseObject({
  name: z.string(),
  type: z.enum(["integer", "number", "string", "boolean"]),
  unit: unit.exactOptional(),
  description: z.string(),
});

const resource = z.looseObject({
  name: z.string(),
  path: z.string(),
  type: z.literal("table"),
  format: z.literal("csv"),
  mediatype: z.literal("text/csv"),
  encoding: z.literal("utf-8"),
  bytes: z.int().nonnegative().exactOptional(),
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 hexadecimal digits")
    .exactOptional(),
  rows: z.int().nonnegative().exactOptional(),
  schema: z.looseObject({ fields: z.array(field).min(1), missingValues: z.array(z.string()) }),
});

const environment = z.looseObject({
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

const paramJson = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.string(), z.number()])),
]);

const metric = z.looseObject({
  name: z.string(),
  variant: text,
  value: number,
  unit,
  low: number,
  high: number,
  reason: text,
});

const verdict = z.looseObject({
  id: z.string(),
  stated: z.string(),
  verdict: z.enum(["holds", "differs", "not applicable here", "not measured"]),
  measured: number,
  unit: unit.nullable(),
  reason: text,
});

/** The shape of a manifest of {@linkcode FORMAT_VERSION}. Keys that it does not know are let through. */
export const MANIFEST: z.ZodType<Manifest> = z.looseObject({
  $schema: z.literal("https://datapackage.org/profiles/2.0/datapackage.json"),
  name: z.string(),
  title: z.string(),
  created: z.string(),
  resources: z.array(resource),
  connlab: z.looseObject({
    formatVersion: z.literal(FORMAT_VERSION),
    id: z.string(),
    experiment: z.looseObject({
      id: z.string(),
      version: z.number(),
      title: z.string(),
      question: z.string(),
      origin: z.enum(["lab", "file", "cell"]),
    }),
    label: text,
    params: z.record(z.string(), paramJson),
    seed: z.number(),
    status: z.enum(["complete", "incomplete", "failed"]),
    reason: text,
    started: z.string(),
    finished: text,
    summary: z.array(metric),
    claims: z.array(verdict),
    warnings: z.array(z.looseObject({ code: z.string(), message: z.string(), remedy: z.string() })),
    environment: environment.nullable(),
  }),
});
