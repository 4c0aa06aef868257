import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { decode } from "fast-png";
import type { Figure } from "../record/mod.ts";
import { mimeBundle } from "./mime.ts";

const figure: Figure = {
  data: [
    { type: "scatter", name: "raw/new", x: [1, 2, 3], y: [80, 82, 81] },
    { type: "scatter", name: "raw/shared", x: [1, 2], y: [20, 21] },
  ],
  layout: {
    title: { text: "<b>Longer<br>in every round</b>" },
    meta: { run: "handshake-cost/20261201T101500Z-k3f9", hash: "sha256:0a1b" },
  },
};

async function htmlOf(figure: Figure): Promise<string> {
  return (await mimeBundle(figure))["text/html"] as string;
}

Deno.test("mimeBundle has what every front end asks for", async () => {
  const bundle = await mimeBundle(figure);
  assertEquals(Object.keys(bundle), [
    "application/vnd.plotly.v1+json",
    "text/html",
    "image/png",
    "text/plain",
  ]);
  assertEquals(bundle["application/vnd.plotly.v1+json"], figure);
  assertEquals(decode(Uint8Array.fromBase64(bundle["image/png"] as string)).width, 1520);
  assertEquals(
    bundle["text/plain"],
    "Longer in every round\n  raw/new: scatter of 3\n  raw/shared: scatter of 2\n" +
      "run handshake-cost/20261201T101500Z-k3f9",
  );
});

Deno.test("mimeBundle names every run that a figure was made from, whatever else its metadata is", async () => {
  const runsNamed = async (meta: unknown) => {
    const { "text/plain": text } = await mimeBundle({ data: figure.data, layout: { meta } });
    return (text as string).split("\n").slice(3);
  };
  assertEquals(await runsNamed({ run: "a/1", hash: "sha256:0a" }), ["run a/1"]);
  assertEquals(await runsNamed({ runs: [{ run: "a/1", hash: "sha256:0a" }, { run: "a/2" }] }), [
    "run a/1",
    "run a/2",
  ]);
  for (const meta of [undefined, null, "a/1", 3, {}, { runs: null }, { run: 3 }]) {
    assertEquals(await runsNamed(meta), []);
  }
});

Deno.test("mimeBundle's html shows the same picture where no script runs, described in words", async () => {
  const bundle = await mimeBundle(figure);
  const html = bundle["text/html"] as string;
  assert(html.includes(`src="data:image/png;base64,${bundle["image/png"]}"`));
  assertMatch(html, /<img alt="Longer in every round \(raw\/new: scatter of 3, raw\/shared: scatter of 2\)"/);
});

Deno.test("mimeBundle asks the network for nothing and does not carry plotly.js", async () => {
  const html = await htmlOf(figure);
  assertEquals(html.match(/https?:|src="(?!data:)/), null);
  assert(html.length < 200_000, `${html.length}`);
});

Deno.test("mimeBundle is the same for the same figure and marks another one differently", async () => {
  const key = (html: string) => html.match(/data-connlab-figure="(\w{16})"/)![1];
  const html = await htmlOf(figure);
  assertEquals(await htmlOf(structuredClone(figure)), html);
  assertNotEquals(key(await htmlOf({ ...figure, layout: {} })), key(html));
});

Deno.test("mimeBundle lets no text of the figure out of its script or attribute", async () => {
  const text = `</script><script>alert("1")</script><!--`;
  const html = await htmlOf({
    data: [{ type: "bar", name: text, x: [text], y: [1] }],
    layout: { title: { text: `1 < 2 & "quoted" > 0` } },
  });
  assertEquals(html.match(/<script>/g)?.length, 1);
  assertEquals(html.match(/<\/script>/g)?.length, 1);
  assert(!html.includes("<!--"));
  assertEquals(html.match(/<img alt="[^"<>]*" width="760" height="440" /g)?.length, 1);
});

Deno.test("mimeBundle gives a figure without title and names some words all the same", async () => {
  const plain = (await mimeBundle({ data: [{ type: "bar", y: [1] }], layout: {} }))["text/plain"];
  assertEquals(plain, "Untitled figure\n  unnamed: bar of 1");
});

Deno.test("mimeBundle refuses what cannot be drawn", async () => {
  const wrong = { data: [{ type: "scattergl", y: [1] }], layout: {} };
  await assertRejects(() => mimeBundle(wrong), TypeError, "data[0].type is scattergl");
});
