import { assertEquals } from "@std/assert";
import { PICTURE, readmePicture } from "./pictures.ts";

Deno.test("the README's picture is the figure of the run that the notebook was made from", async () => {
  assertEquals((await Deno.readFile(PICTURE)).toHex(), (await readmePicture()).toHex());
});
