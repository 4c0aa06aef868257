import type { Unit } from "../record/mod.ts";

/** What an axis shows. */
export interface Axis {
  /** The quantity in a word or two, without its unit. */
  readonly label: string;
  /** Its unit: it stands behind the label. */
  readonly unit: Unit;
  /** How it is divided. @default {"linear"} */
  readonly scale?: "linear" | "log";
}
