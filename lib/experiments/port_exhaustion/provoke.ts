import { failure, type FailureName, FAILURES, type Phase } from "../../record/mod.ts";
import { enterFreshNetwork, pause, RawSocket, SocketAddress } from "../../system/mod.ts";
import type { MeasureContext } from "../contract.ts";
import { TAKEN_PORT } from "./arm_rows.ts";
import type { Tables } from "./tables.ts";

type Context = Pick<MeasureContext<Tables>, "emit" | "environment" | "signal">;

/** One failure of each kind, provoked. */
interface Provocation {
  /** What is done. */
  readonly what: string;
  /** The kind that it must come to. */
  readonly kind: FailureName;
  /** Where it comes. */
  readonly phase: Phase;
  /** Does it; `null` when nothing failed. */
  readonly provoke: (context: Context) => Promise<FailureName | null> | FailureName | null;
  /** Why it cannot be done here. @default {it can} */
  readonly whyNot?: (context: Context) => string | null;
}

const HOST = "127.0.0.1";
const SERVER = new SocketAddress(HOST, 7777);
const NOBODY = new SocketAddress(HOST, 7778);
/** An address of TEST-NET-1 (RFC 5737), to which a fresh network has no route. */
const ELSEWHERE = new SocketAddress("192.0.2.1", 7777);

/** The two ports of the network in which all are taken. */
const TWO_PORTS = [32_768, 32_769] as const;

const CONNECT_LIMIT_MS = 250;

/** How often a reset that is on its way is looked for, a millisecond apart. */
const RESET_LOOKS = 200;

/** So many descriptors are opened at most: beyond, memory is used up rather than them. */
const MOST_DESCRIPTORS = 100_000;

const PROVOCATIONS: readonly Provocation[] = [
  {
    what: "connect(), every port held open",
    kind: "local-ports-exhausted",
    phase: "connect",
    provoke: () => withEveryPortTaken((socket) => connectFailure(socket, SERVER)),
  },
  {
    what: "bind() to port 0, every port held open",
    kind: "address-in-use",
    phase: "connect",
    provoke: () => withEveryPortTaken((socket) => bindFailure(socket, new SocketAddress(HOST))),
  },
  {
    what: TAKEN_PORT,
    kind: "address-in-use",
    phase: "connect",
    provoke: () => inFreshNetwork(bindTwice),
  },
  {
    what: "socket(), every descriptor open",
    kind: "descriptors-exhausted",
    phase: "client",
    provoke: openAll,
    whyNot: ({ environment }) => {
      const limit = environment.limits.descriptors ?? Infinity;
      return limit <= MOST_DESCRIPTORS ? null : `A process may have ${limit} descriptors here (ulimit -Hn)`;
    },
  },
  {
    what: "connect(), nobody listens",
    kind: "refused",
    phase: "connect",
    provoke: () => inFreshNetwork((open) => connectFailure(open(), NOBODY)),
  },
  {
    what: "connect(), accept queue full",
    kind: "timed-out",
    phase: "connect",
    provoke: () => inFreshNetwork(fillAcceptQueue),
  },
  {
    what: "close() of the server, SO_LINGER 0",
    kind: "reset",
    phase: "receive",
    provoke: () => inFreshNetwork(beReset),
  },
  {
    what: "connect(), no route",
    kind: "unreachable",
    phase: "connect",
    provoke: () => inFreshNetwork((open) => connectFailure(open(), ELSEWHERE)),
  },
];

/**
 * Provokes every kind of failure that a client of TCP meets, once, and records how each is classified.
 *
 * @param context where rows go
 */
export async function provokeAll(context: Context): Promise<void> {
  for (const { what, kind: expectedKind, phase, provoke, whyNot } of PROVOCATIONS) {
    if (context.signal.aborted) return;
    const reason = whyNot?.(context) ?? null;
    const kind = reason === null ? await provoke(context) : null;
    const seen = kind === null ? null : failure(phase, kind);
    context.emit("provoked", {
      ...{ provocation: what, expectedKind, reason },
      ...{ failurePhase: seen?.phase ?? null, failureKind: kind, failureSide: seen?.side ?? null },
      remedy: kind === null ? null : FAILURES[kind].remedy,
    });
  }
}

/** Opens a socket that is closed with the provocation. */
type Open = (options?: { readonly blocking: boolean }) => RawSocket;

async function inFreshNetwork<T>(work: (open: Open) => Promise<T> | T, settings = {}): Promise<T> {
  enterFreshNetwork(settings);
  using sockets = new DisposableStack();
  return await work((options) => {
    const opened = RawSocket.open(options);
    if (!opened.ok) throw new Error(`Cannot open socket as its failure is ${opened.kind}`);
    opened.socket.setOption("sendTimeoutMs", CONNECT_LIMIT_MS);
    return sockets.use(opened.socket);
  });
}

function connectFailure(socket: RawSocket, address: SocketAddress): FailureName | null {
  return socket.connectTo(address) ? null : socket.whyNotConnected(address);
}

function bindFailure(socket: RawSocket, address: SocketAddress): FailureName | null {
  return socket.bindTo(address) ? null : socket.whyNotBound(address);
}

function listen(open: Open, backlog: number): RawSocket {
  const listener = open();
  if (listener.bindTo(SERVER) && listener.listen(backlog)) return listener;
  throw new Error("Cannot listen in a fresh network as the system refused");
}

function withEveryPortTaken(attempt: (socket: RawSocket) => FailureName | null): Promise<FailureName | null> {
  return inFreshNetwork((open) => {
    listen(open, TWO_PORTS.length);
    for (const _port of TWO_PORTS) {
      const kind = connectFailure(open(), SERVER);
      if (kind !== null) throw new Error(`Cannot take every port as a connect failed: ${kind}`);
    }
    return attempt(open());
  }, { "net.ipv4.ip_local_port_range": TWO_PORTS });
}

/** The port of a listener, while no other is taken. */
function bindTwice(open: Open): FailureName | null {
  listen(open, 1);
  return bindFailure(open(), SERVER);
}

/** A queue of length 0 holds one connection; what comes then is dropped. */
function fillAcceptQueue(open: Open): FailureName | null {
  listen(open, 0);
  for (let tries = 0; tries < 3; tries++) {
    const kind = connectFailure(open(), SERVER);
    if (kind !== null) return kind;
  }
  return null;
}

async function beReset(open: Open): Promise<FailureName | null> {
  const listener = listen(open, 1);
  const client = open();
  const kind = connectFailure(client, SERVER);
  if (kind !== null) return kind;
  const accepted = listener.accept();
  if (!accepted.ok) throw new Error("Cannot accept connection as none is waiting");
  accepted.socket.setOption("lingerSeconds", 0);
  accepted.socket.close();
  for (let looks = 0; looks < RESET_LOOKS; looks++) {
    const error = client.takeError();
    if (error !== null) return error;
    await pause(1);
  }
  return null;
}

/** Nothing is awaited meanwhile: the process itself could not open a file. */
function openAll(): FailureName | null {
  using sockets = new DisposableStack();
  for (let count = 0; count < MOST_DESCRIPTORS; count++) {
    const opened = RawSocket.open();
    if (!opened.ok) return opened.kind;
    sockets.use(opened.socket);
  }
  return null;
}
