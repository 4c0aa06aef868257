import { announce } from "./announce.ts";
import { Lifeline } from "./lifeline.ts";

using lifeline = new Lifeline();
announce({ ready: true });
const sizeBytes = Number(await lifeline.nextLine());
try {
  announce({ text: "x".repeat(sizeBytes) });
} catch (error) {
  if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  Deno.exitCode = 7;
}
