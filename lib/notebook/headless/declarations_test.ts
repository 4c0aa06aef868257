import { assertEquals, assertRejects } from "@std/assert";
import { declarationsIn } from "./declarations.ts";

const brief = async (code: string) =>
  (await declarationsIn(code)).map(({ keyword, name, kind }) => `${keyword} ${name}: ${kind}`);

Deno.test("the kinds of defaults are told from their literals", async () => {
  assertEquals(
    await brief(`
let count = 5, ratio = -0.5, big = 1_000, neg = +1;
const label: string = "x";
var on = true;
let list = [1, 2], map = { a: 1 }, template = \`t\`;
let run: string | null = null;
let typed = 5 as number, checked = "x" satisfies string;
let later, computed = 2 * 3, other = count, large = 5n;
`),
    [
      "let count: number",
      "let ratio: number",
      "let big: number",
      "let neg: number",
      "const label: string",
      "var on: boolean",
      "let list: list",
      "let map: object",
      "let template: string",
      "let run: any",
      "let typed: number",
      "let checked: string",
      "let later: any",
      "let computed: any",
      "let other: any",
      "let large: any",
    ],
  );
});

Deno.test("only declarations at the top level count, whatever comments, strings and patterns say", async () => {
  assertEquals(
    await brief(`
// let a = 1
/* let b = 1 */
const text = "let c = 1; \\" let d = 2";
const pattern = /let e = "/, template = \`\${(() => { let f = 1; return f; })()} let g\`;
function h() { let i = 1; }
for (let j = 0; j < 1; j++) { const k = j; }
if (true) { let l = 1; }
class M { n = 1 }
import o from "p";
await Promise.resolve();
let q = 1
`),
    ["const text: string", "const pattern: any", "const template: string", "let q: number"],
  );
});

Deno.test("patterns declare every name that they bind", async () => {
  assertEquals(
    await brief("let { a, b: [c, , d = 1], e: { f }, ...g } = x; const [h, ...[i]] = y;"),
    ["let a: any", "let c: any", "let d: any", "let f: any", "let g: any", "const h: any", "const i: any"],
  );
});

Deno.test("a name may be declared again, as the kernel allows", async () => {
  assertEquals(await brief("let a = 1; let a = 'x';"), ["let a: number", "let a: string"]);
});

Deno.test("code that cannot be parsed is an error", async () => {
  await assertRejects(() => declarationsIn("let a = ;"), SyntaxError);
});
