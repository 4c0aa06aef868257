import { announce } from "./announce.ts";
import { readEnvironment } from "./environment.ts";
import { libcPath } from "./libc_path.ts";
import { descriptorLimits } from "./limits.ts";
import { isAlive } from "./process.ts";
import { readSockets, socketTableSupport, timeWaitTotal } from "./sockets.ts";

function attempt(read: () => unknown): string {
  try {
    return typeof read();
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

announce({
  libcPath: libcPath(),
  support: socketTableSupport(),
  attempts: {
    timeWaitTotal: attempt(timeWaitTotal),
    readSockets: attempt(readSockets),
    descriptorLimits: attempt(descriptorLimits),
    isAlive: attempt(() => isAlive(Deno.pid)),
  },
  environment: readEnvironment({ isolation: "none" }),
});
