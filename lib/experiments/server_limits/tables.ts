import { column } from "../../record/mod.ts";
import { throughputTables } from "./throughput_tables.ts";

const variant = column.text("the arm");

/**
 * The raw tables, shared by the modes: a row an arm; a row a connection that was to be held; a row each time that a
 * server was looked at, from inside and from outside; a row a time limit of a stack. What a mode does not measure
 * has no rows.
 */
export const tables = {
  arms: {
    variant,
    client: column.text("what opened the connections: epoll, raw or fetch"),
    subject: column.text("deno, node, the words of a command, or a URL"),
    path: column.text("what was requested"),
    servers: column.count("processes of the lab's own server; 1 for another one"),
    asked: column.count("connections that were to be opened"),
    burst: column.count("connections that were being opened at once, at most, and their requests"),
    begun: column.count("connections that were begun"),
    opened: column.count("connections that came to be open; empty when it was given up before"),
    failed: column.count("connections that failed before that; empty when it was given up before"),
    watchedMs: column.ms("how long they were watched once the last one was open"),
    headerTimeoutMs: column.ms("header timeout of the server as configured; empty without one"),
    idleTimeoutMs: column.ms("idle timeout of the server as configured; empty without one"),
    requestTimeoutMs: column.ms("request timeout of the server as configured; empty without one"),
    checkingMs: column.ms(
      "how often the server looks for connections over their time; empty if never or unknown",
    ),
    dripMs: column.ms("time between the bytes that each connection sent; empty when it sent none"),
    serverFds: column.count("file descriptors that each of its servers may have, where they were limited"),
    lostShards: column.count("processes of the client that were lost: what they held is not in the tables"),
    serverEnd: column.text("how a server ended by itself; empty when none did"),
    givenUp: column.text("why it was not begun, or its connections not all opened; empty when they were"),
  },
  connections: {
    variant,
    shard: column.count("process of the client, from 0"),
    connection: column.count("place of the connection in it, from 0"),
    startMs: column.ms("when it was begun, since its arm began"),
    openMs: column.ms("when it was open and had done what opening asks of it; empty when it never was"),
    connectMs: column.ms("time to connect; empty when it failed, and for fetch, which does not show it"),
    closedMs: column.ms("when the server ended it; empty when it did not while it was watched"),
    status: column.count("HTTP status code of its last answer; empty without one"),
    sentBytes: column.bytes("bytes that were sent over it"),
    failurePhase: column.text("phase in which it failed; empty when it did not"),
    failureKind: column.text("kind of the failure; empty when there was none"),
    failureSide: column.text("whose limit or fault the failure is; empty when there was none"),
  },
  readings: {
    variant,
    moment: column.text("before, opening, held, watched or after"),
    server: column.count("which of the arm's servers, from 0"),
    seenMs: column.ms("when it was looked at, since the measurement began"),
    open: column.count("connections to it that the client says are open, the one of the look not among them"),
    accepted: column.count("connections that the server says it has accepted, the one of the look included"),
    active: column.count("connections that it says are open, the one of the look included"),
    inFlight: column.count("requests that it says are being answered, the look included"),
    requests: column.count("requests that it says came, the look included"),
    refused: column.count("connections that it says it refused for its own limit"),
    eventLoopDelayMs: column.ms("the longest delay of its event loop since the look before, as it says"),
    atServer: column.count(
      "its ends of open connections in the kernel's table, the one of the look included",
    ),
    atClient: column.count("the client's ends of them in the kernel's table"),
    queued: column.count("connections that wait in its accept queue"),
    listenOverflows: column.count(
      "connections that the machine dropped for a full accept queue since the arm began",
    ),
    descriptors: column.count("file descriptors that it has open, where its number is limited"),
    rssBytes: column.bytes("memory of its process and what it started, resident"),
    clientRssBytes: column.bytes("memory of all processes of the client, with what measures, resident"),
    clientCpuMs: column.ms("processor time of all processes of the client, since they began"),
    cpuMs: column.ms("processor time of its process and what it started, since it began"),
    reason: column.text("why what it says is empty; empty when it is not"),
  },
  defaults: {
    stack: column.text("deno, node, or the words of a command"),
    limit: column.text("the time limit or bound"),
    setting: column.text("what it is called there; empty where there is none"),
    exposedMs: column.ms(
      "what a server that nobody configured says it is; empty where it is off or not exposed",
    ),
    isOff: column.flag("whether it is off; empty when not known"),
    heldMs: column.ms(
      "how long a connection that such a limit would end was seen to stay open; empty when not tried",
    ),
    closedMs: column.ms(
      "when a server that nobody configured ended such a connection; empty when it did not",
    ),
    reason: column.text("why what is empty is not known"),
  },
  ...throughputTables,
};

/** See {@linkcode tables}. */
export type Tables = typeof tables;
