import { column } from "../../record/mod.ts";
import { loadTables } from "../_shared/load_tables.ts";

/** The raw tables of the modes `throughput` and `client-wall`: those of every load, and a row of evidence each. */
export const throughputTables = {
  ...loadTables,
  rates: {
    variant: column.text("the load"),
    arm: column.text("the server's arm"),
    path: column.text("what was requested"),
    workers: column.count("workers of the server; empty where they are not known"),
    connections: column.count(
      "connections, each with a request on its way all the time unless a rate was given",
    ),
    aloneRate: column.rate(
      "responses right before, with a connection for each worker or thread: how fast the processors were; empty " +
        "without any, and for what is not computed",
    ),
    serverCpuShare: column.ratio("processor time of the server per second of the load; empty where not told"),
    machineBusyShare: column.ratio("share of all processors that were busy; empty where not told"),
    freeCpuShare: column.ratio("processors of the machine that were free; empty where not told"),
    otherCpuShare: column.ratio(
      "processors of the machine that neither client nor server had, and were not free; empty where not told",
    ),
  },
  walls: {
    variant: column.text("the arm"),
    wall: column.text("what was to give out"),
    ports: column.count("size of the private port range"),
    clientFds: column.count(
      "file descriptors that the client might have; empty for the limit of the machine",
    ),
    serverFds: column.count(
      "file descriptors that the server might have; empty for the limit of the machine",
    ),
    serverDescriptors: column.count(
      "descriptors that it had open when all were open that could be, the process with the most; empty where not told",
    ),
    listenOverflows: column.count(
      "connections that the kernel dropped for a full accept queue; empty where not told",
    ),
    queued: column.count(
      "connections in the accept queue when all were open that could be; empty where not told",
    ),
  },
};
