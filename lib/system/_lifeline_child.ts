import { announce } from "./announce.ts";
import { Lifeline } from "./lifeline.ts";

using lifeline = new Lifeline();
lifeline.signal.addEventListener("abort", () => announce({ aborted: lifeline.signal.reason.name }));
announce({ ready: true });
for (;;) {
  const message = await lifeline.nextLine();
  if (message === null || message === "let go") break;
  announce({ message });
}
announce({ reason: lifeline.reason });
