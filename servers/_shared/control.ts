/** What a control port gives: JSON by path, made when it is asked for. */
export type ControlPaths = Readonly<Record<string, () => unknown>>;

/**
 * Opens a port of its own on which a server tells what it has seen, so that asking is never counted as
 * traffic.
 *
 * @param hostname the address to listen on
 * @param paths what it gives
 * @returns the server, on a port that the system chooses
 */
export function openControl(hostname: string, paths: ControlPaths): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname, port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    const give = Object.hasOwn(paths, pathname) ? paths[pathname] : undefined;
    if (give !== undefined) return Response.json(give());
    const known = Object.keys(paths).join(", ");
    return new Response(`There is no ${pathname}: the paths are ${known}\n`, { status: 404 });
  });
}
