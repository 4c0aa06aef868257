import { assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { Canvas2D } from "./_canvas.ts";

function pixels(canvas: Canvas2D): number[] {
  return [...decode(Uint8Array.fromBase64(canvas.toDataUrl().replace(/^data:image\/png;base64,/, ""))).data];
}

Deno.test("fillRect fills what lies within the canvas", () => {
  const canvas = new Canvas2D(2, 2);
  canvas.fillStyle = "rgba(1,2,3,0.2)";
  canvas.fillRect(1, -5, 9, 6);
  assertEquals(pixels(canvas), [0, 0, 0, 0, 1, 2, 3, 51, 0, 0, 0, 0, 0, 0, 0, 0]);
  canvas.fillStyle = "rgb(9,8,7)";
  canvas.fillRect(0, 1, 1, 1);
  assertEquals(pixels(canvas).slice(8, 12), [9, 8, 7, 255]);
});

Deno.test("putImageData puts a block of pixels down", () => {
  const canvas = new Canvas2D(2, 2);
  const block = canvas.createImageData(1, 2);
  block.data.set([1, 1, 1, 1, 2, 2, 2, 2]);
  canvas.putImageData(block, 1, 0);
  assertEquals(pixels(canvas), [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2]);
});
