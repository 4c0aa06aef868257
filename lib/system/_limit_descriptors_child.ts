/** Limits its own descriptors: tells what is in force then, what happens when they run out and when it wants more. */
import { limitDescriptors } from "./limits.ts";

const COUNT = 100;

const limits = limitDescriptors(COUNT);
const held: Deno.FsFile[] = [];
let code = "";
while (code === "") {
  try {
    held.push(Deno.openSync("/dev/null"));
  } catch (error) {
    code = (error as { code: string }).code;
  }
}
for (const file of held) file.close();
let refusal = "";
try {
  limitDescriptors(COUNT + 1);
} catch (error) {
  refusal = (error as Error).message;
}
console.log(JSON.stringify({ limits, isBelow: held.length < COUNT, code, refusal }));
