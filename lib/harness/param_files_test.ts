import { assertEquals, assertRejects } from "@std/assert";
import type { ExperimentDescription, ParamDescription } from "../experiments/mod.ts";
import { MAX_PEM_BYTES, MisuseError } from "../record/mod.ts";
import { EXPIRED_CA as EXPIRED, LASTING_CA as CERTIFICATE, TemporaryFolder } from "../testing/mod.ts";
import { readParamFiles } from "./param_files.ts";

const KEY = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";

function param(name: string, kind: ParamDescription["kind"]): ParamDescription {
  return { name, kind, help: "", accepts: "", default: null };
}

const EXPERIMENT: ExperimentDescription = {
  ...{ id: "trusting", title: "", question: "" },
  params: [param("caFile", "pem"), param("gaps", "numbers"), param("note", "text")],
};

Deno.test("readParamFiles() puts the text of a file in the place of its path", async () => {
  using folder = new TemporaryFolder();
  Deno.writeTextFileSync(`${folder.path}/ca.pem`, CERTIFICATE);
  const read = (given: Record<string, unknown>) => readParamFiles(EXPERIMENT, given, { folder: folder.path });
  const note = "ca.pem";
  assertEquals(await read({ caFile: "ca.pem", note }), { caFile: CERTIFICATE, note });
  assertEquals(await read({ caFile: `${folder.path}/ca.pem` }), { caFile: CERTIFICATE });
  // One of several may have ended: a bundle keeps such for long.
  folder.write("bundle.pem", EXPIRED + CERTIFICATE);
  assertEquals(await read({ caFile: "bundle.pem" }), { caFile: EXPIRED + CERTIFICATE });
  for (const given of [{}, { note }, { caFile: null, note }, { caFile: CERTIFICATE, note }, { caFile: 5 }]) {
    assertEquals(await read(given), given);
  }
});

Deno.test("readParamFiles() refuses a file that is not there or holds what it must not", async () => {
  using folder = new TemporaryFolder();
  const files = {
    "key.pem": CERTIFICATE + KEY,
    "long.pem": CERTIFICATE + "#".repeat(MAX_PEM_BYTES),
    "note.txt": "A note",
    "expired.pem": EXPIRED,
  };
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${folder.path}/${name}`, text);
  for (
    const [caFile, message] of [
      ["none.pem", "Cannot use --ca-file as there is no file none.pem"],
      [".", "Cannot use --ca-file as file . cannot be read"],
      ["", "Cannot use --ca-file as file  cannot be read"],
      ["key.pem", "its file must hold PEM text without a private key: current file is key.pem"],
      ["long.pem", "its file must hold PEM text of at most 64 KiB: current file is long.pem"],
      ["note.txt", "its file must hold PEM text with a certificate: current file is note.txt"],
      ["expired.pem", "its file must hold a certificate that is valid today: current file is expired.pem"],
      ["/dev/zero", "its file must hold PEM text of at most 64 KiB: current file is /dev/zero"],
    ] as const
  ) {
    const options = { folder: folder.path, asOptions: true };
    const error = await assertRejects(
      () => readParamFiles(EXPERIMENT, { caFile }, options),
      MisuseError,
      message,
    );
    assertEquals(error.message.includes("c2VjcmV0"), false);
  }
});

Deno.test("readParamFiles() puts the numbers of a file in the place of its path, and leaves numbers alone", async () => {
  using folder = new TemporaryFolder();
  const path = folder.write("gaps.csv", "gap\n0.5\n2\n");
  const read = (gaps: unknown) => readParamFiles(EXPERIMENT, { gaps }, { folder: folder.path });
  assertEquals(await read("gaps.csv"), { gaps: [0.5, 2] });
  assertEquals(await read(path), { gaps: [0.5, 2] });
  for (const gaps of ["poisson:0.2", "0.5,2", [0.5, 2], null]) assertEquals(await read(gaps), { gaps });
});

Deno.test("readParamFiles() refuses a file of numbers that holds something else, and names what", async () => {
  using folder = new TemporaryFolder();
  folder.write("gaps.csv", "gap;other\n1;2\n");
  await assertRejects(
    () => readParamFiles(EXPERIMENT, { gaps: "gaps.csv" }, { folder: folder.path }),
    MisuseError,
    "Cannot use gaps as its file must hold numbers, separated by commas or one a line: there is 1;2: " +
      "current file is gaps.csv",
  );
});
