import { assert, assertEquals } from "@std/assert";
import { draw, PICTURES } from "./pictures.ts";

const ROOT = new URL("../../", import.meta.url);

for (const picture of PICTURES) {
  Deno.test(`${picture.file} is drawn from the run of its notebook, and stands in the README`, async () => {
    assertEquals(await draw(picture), await Deno.readFile(new URL(picture.file, ROOT)));
    assert((await Deno.readTextFile(new URL("README.md", ROOT))).includes(`](${picture.file})`));
  });
}
