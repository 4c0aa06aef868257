// What a proxy is that is written on `Deno.serve` and `fetch`: the other side of `proxy_bench.ts`. Its argument is the
// port of its backend; it ends with its standard input.
import { announce, Lifeline } from "../system/mod.ts";

const backend = `127.0.0.1:${Deno.args[0]}`;

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  ({ url, method, headers, body }) => {
    const target = new URL(url);
    target.host = backend;
    return fetch(target, { method, headers, body, redirect: "manual" });
  },
);
using lifeline = new Lifeline();
announce({ hostname: "127.0.0.1", port: server.addr.port, ports: [], pid: Deno.pid });
while (await lifeline.nextLine() !== null);
Deno.exit(0);
