import { column } from "../../record/mod.ts";

/** The raw tables: a row a connect, and a row an arm. */
export const tables = {
  connects: {
    variant: column.text(
      "the arm: its strategy, and behind a slash in what it differs from the run's parameters",
    ),
    order: column.count("place of the connect within its arm, from 0"),
    port: column.count("the local port; empty when the connect failed"),
    parity: column.text("even or odd, as the local port is; empty when there is none"),
    connectMs: column.ms("time from a new socket to a connected one: options, bind() and connect()"),
    attempts: column.count("ports that the program itself tried; 1 where the system looks for one"),
    result: column.text("ok, or the kind of the failure"),
  },
  arms: {
    variant: column.text("the arm"),
    strategy: column.text("how its sockets come to their ports"),
    low: column.count("first port of its range"),
    ports: column.count("size of its range"),
    windowPorts: column.count("ports that a socket may choose from; empty where all of the range"),
    family: column.text("ipv4 or ipv6"),
    sources: column.count("source addresses, used in turn"),
    threads: column.count("threads that connect at once"),
    connects: column.count("connects that it was to make"),
    elapsedMs: column.ms("time for all of them, making of sockets and reading of ports included"),
    reason: column.text("why it was not measured; empty when it was"),
  },
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
