/** A process of the tests: heeds nothing, and is busy when it is told to be. */
import { announce } from "./announce.ts";
import { endInTime } from "./end_in_time.ts";
import { Lifeline } from "./lifeline.ts";

const lifeline = new Lifeline();
await endInTime(lifeline, 50);
announce({ ready: true });
const manner = await lifeline.nextLine();
announce({ manner });
while (manner === "busy") performance.now();
await new Promise<never>(() => {});
