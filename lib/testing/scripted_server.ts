const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A server for tests that says on each connection what the test wants. */
export interface ScriptedServer extends AsyncDisposable {
  /** The address at which it listens. */
  readonly hostname: string;
  /** The port at which it listens. */
  readonly port: number;
  /** How many connections it has accepted. */
  readonly accepted: number;
  /** How many of them have neither been left by their client nor come to the end of the script. */
  readonly open: number;
  /** Every request head that came, in order. */
  readonly heads: readonly string[];
}

/** The server's side of a connection. */
export interface Peer {
  /** Which connection this is, from 1. */
  readonly ordinal: number;
  /**
   * Waits for a whole request head.
   *
   * @returns whether one came before the end of the connection
   */
  request(): Promise<boolean>;
  /**
   * Says something.
   *
   * @param text what
   */
  say(text: string): Promise<void>;
  /** Waits until the client ends the connection. */
  gone(): Promise<void>;
}

/**
 * Serves connections by a script. When the script ends, the connection is closed; what the client's leaving
 * makes it throw is ignored.
 *
 * @param script what it does on a connection
 * @returns the server, which listens
 */
export function serveScript(script: (peer: Peer) => Promise<void>): ScriptedServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.TcpConn>();
  const heads: string[] = [];
  let accepted = 0;

  const serve = async (socket: Deno.TcpConn, ordinal: number) => {
    const buffer = new Uint8Array(4096);
    let rest = "";
    const take = async () => {
      const size = await socket.read(buffer);
      if (size !== null) rest += decoder.decode(buffer.subarray(0, size));
      return size !== null;
    };
    try {
      await script({
        ordinal,
        request: async () => {
          while (!rest.includes("\r\n\r\n")) if (!await take()) return false;
          const end = rest.indexOf("\r\n\r\n") + 4;
          heads.push(rest.slice(0, end));
          rest = rest.slice(end);
          return true;
        },
        say: async (text) => {
          const bytes = encoder.encode(text);
          for (let sent = 0; sent < bytes.length;) sent += await socket.write(bytes.subarray(sent));
        },
        gone: async () => {
          while (await take());
        },
      });
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) throw error;
    } finally {
      if (open.delete(socket)) socket.close();
    }
  };

  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const socket of listener) {
      open.add(socket);
      serving.push(serve(socket, ++accepted));
    }
  })();

  return {
    hostname: "127.0.0.1",
    port: listener.addr.port,
    get accepted() {
      return accepted;
    },
    get open() {
      return open.size;
    },
    heads,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const socket of open) socket.close();
      open.clear();
      await Promise.all(serving);
    },
  };
}

/**
 * A response with a body.
 *
 * @param body the body
 * @param fields further fields, each with its line end. @default {none}
 * @returns the response
 */
export function respond(body: string, fields = ""): string {
  return `HTTP/1.1 200 OK\r\n${fields}content-length: ${body.length}\r\n\r\n${body}`;
}

/**
 * Answers every request on a connection with the same bytes.
 *
 * @param text the bytes
 * @returns the script
 */
export function answering(text: string): (peer: Peer) => Promise<void> {
  return async (peer) => {
    while (await peer.request()) await peer.say(text);
  };
}
