/** Adopts what a process has left behind that it started, looks at it, and ends it by its group. */
import { adoptOrphans, descendantsOf, isAlive, sendSignalToGroup } from "./process.ts";

const isAdopting = adoptOrphans();
const args = ["sh", "-c", "sleep 60 & sleep 60 & true"];
const parent = new Deno.Command("unshare", { args, detached: true, stdin: "null", stdout: "null" }).spawn();
await parent.status;
const orphans = descendantsOf(Deno.pid);
const isSent = sendSignalToGroup(parent.pid, "SIGKILL");
while (orphans.some(isAlive)) await new Promise((wake) => setTimeout(wake, 5));
console.log(JSON.stringify({
  isAdopting,
  orphans: orphans.length,
  isSent,
  isSentAgain: sendSignalToGroup(parent.pid + 2 ** 30, "SIGKILL"),
}));
