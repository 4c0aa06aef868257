import { Counters } from "./counters.ts";
import type { Listen } from "./listen.ts";

/** Serves with `Deno.serve`, which never closes an idle connection by itself. */
export const listenDeno: Listen = (site, { hostname, port, identity, backlog, isShared }) => {
  const counters = new Counters(site.sees);
  const tls = identity === null ? {} : { key: identity.key, cert: identity.certificate };
  const options = {
    ...{ hostname, port, reusePort: isShared, ...tls },
    ...(backlog !== null && { tcpBacklog: backlog }),
    onListen() {},
  };
  const server = Deno.serve(options, async (request, { remoteAddr }) => {
    const { method, url } = request;
    // What the client has sent is taken in whole: a connection with an unread body would be closed.
    await request.body?.pipeTo(new WritableStream()).catch(() => {/* the client left in the middle of it */});
    const answer = await site.answer({
      method,
      target: url.slice(url.indexOf("/", url.indexOf("://") + "://".length)),
      // HTTP/2 names the host in a pseudo-header, HTTP/1.1 must in a field: RFC 9113 §8.3.1, RFC 9112 §3.2.
      protocol: request.headers.has("host") ? "http/1.1" : "h2",
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
};
