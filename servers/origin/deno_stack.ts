import { Counters } from "./counters.ts";
import type { Site } from "./site.ts";

/**
 * Serves a site at one port with `Deno.serve`, which never closes an idle connection by itself.
 *
 * @returns the port
 */
export function listenDeno(site: Site, hostname: string, port: number): Promise<number> {
  const counters = new Counters(site.seesConnections);
  const server = Deno.serve({ hostname, port, onListen() {} }, async (request, { remoteAddr }) => {
    const { method, url } = request;
    // What the client has sent is taken in whole: a connection with an unread body would be closed.
    await request.body?.pipeTo(new WritableStream()).catch(() => {/* the client left in the middle of it */});
    const answer = await site.answer({
      method,
      target: url.slice(url.indexOf("/", "http://".length)),
      clientPort: remoteAddr.port,
      connection: counters.meet(remoteAddr.hostname, remoteAddr.port),
      get signal() {
        return request.signal;
      },
    }, counters);
    const headers: Record<string, string> = { "content-type": answer.type };
    if (answer.allow !== undefined) headers.allow = answer.allow;
    return new Response(answer.body, { status: answer.status, headers });
  });
  site.watch(server.addr.port, counters);
  return Promise.resolve(server.addr.port);
}
