/** A process of the tests: a holder that may have few descriptors. */
import { announce } from "./announce.ts";
import { HolderService } from "./holder_service.ts";
import { openLibc } from "./libc.ts";
import { Lifeline } from "./lifeline.ts";
import { descriptorLimits } from "./limits.ts";

const FEW = 400;
const RLIMIT_NOFILE = 7;

const { setrlimit } = openLibc({ setrlimit: { parameters: ["i32", "buffer"], result: "i32" } });
setrlimit(RLIMIT_NOFILE, new BigUint64Array([BigInt(FEW), BigInt(descriptorLimits().hard)]));
using lifeline = new Lifeline();
const service = new HolderService();
service.serve();
announce({ pid: Deno.pid, name: service.name });
while (await lifeline.nextLine() !== null);
Deno.exit(0);
