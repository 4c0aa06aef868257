/** A process of the tests: starts a kernel, keeps it busy, and says the ids of the kernel and its guard. */
import { Kernel } from "./kernel.ts";

const kernel = await Kernel.start();
await kernel.execute("console.log(Deno.ppid)", {
  onMessage: ({ content }) => console.log(JSON.stringify([kernel.pid, Number(content.text)])),
});
await kernel.execute("for (;;);");
