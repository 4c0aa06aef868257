/**
 * Tells the machine, its settings and what it allows as one line of JSON, and ends.
 *
 * @module
 */
import { announce, namespaceSupport, readEnvironment, socketTableSupport } from "../system/mod.ts";

announce({
  environment: readEnvironment({ isolation: "none" }),
  socketTable: socketTableSupport(),
  namespaces: await namespaceSupport(),
});
