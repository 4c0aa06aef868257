import { clientWall } from "./client_wall.ts";
import { idle } from "./idle.ts";
import type { Mode } from "./mode.ts";
import type { ModeName } from "./params.ts";
import { slow } from "./slow.ts";
import { slowloris } from "./slowloris.ts";
import { throughput } from "./throughput.ts";

/** The modes by name. */
export const MODE_OF: Readonly<Record<ModeName, Mode>> = {
  idle,
  slow,
  slowloris,
  throughput,
  "client-wall": clientWall,
};
