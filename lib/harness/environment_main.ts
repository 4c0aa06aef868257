/**
 * Tells the machine and its settings as one line of JSON, and ends.
 *
 * @module
 */
import { announce, readEnvironment, socketTableSupport } from "../system/mod.ts";

announce({ environment: readEnvironment({ isolation: "none" }), socketTable: socketTableSupport() });
