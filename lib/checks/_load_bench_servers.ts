import { Asked } from "./_asked.ts";
import { pinned } from "./_programs.ts";

/** A server of `load_bench.ts`. */
export interface BenchServer extends AsyncDisposable {
  /** Its port of 127.0.0.1. */
  readonly port: number;
}

/**
 * Starts the server in C that answers whatever comes with the same small response.
 *
 * @param binary the compiled `_load_bench.c`
 * @param processor where it runs; `null` for anywhere
 * @returns the server
 */
export async function startFixed(binary: string, processor: number | null): Promise<BenchServer> {
  const program = new Asked(pinned(processor, [binary, "serve"]));
  return { port: Number(await program.next()), [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

/** How nginx is to run. */
export interface Nginx {
  /** The processor that it is bound to; `null` for none. */
  readonly processor: number | null;
  /** How many connections it may have. */
  readonly connections: number;
  /** The port of the server that it is a proxy of, with connections that it keeps. @default {it answers itself} */
  readonly upstream?: number;
}

/** Without these nginx would open a connection for each request. */
const PASS = 'proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header connection ""';

/** One worker, nothing logged, and every connection kept: what is measured is the client. */
const configuration = ({ port, connections, upstream }: Nginx & { readonly port: number }) => `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events { worker_connections ${connections}; }
http {
  access_log off;
  keepalive_timeout 75s;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  ${
  upstream === undefined ? "" : `upstream backend { server 127.0.0.1:${upstream}; keepalive ${connections}; }`
}
  server {
    listen 127.0.0.1:${port};
    location / { ${upstream === undefined ? 'return 200 "ok"' : PASS}; }
  }
}
`;

/** A port that is free now: nginx cannot choose one itself. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

const START_TIMEOUT_MS = 5000;

/** Waits until a port takes connections. */
async function accepting(port: number, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  ended.then(() => hasEnded = true);
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (!hasEnded && performance.now() < deadlineMs) {
    try {
      using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
      return;
    } catch {
      await new Promise((wake) => setTimeout(wake, 10));
    }
  }
  throw new Error("nginx does not take connections");
}

/**
 * Starts nginx, with a configuration of its own and loopback only.
 *
 * @param folder an empty folder for all that it writes
 * @param options how it is to run
 * @returns the server
 */
export async function startNginx(folder: string, options: Nginx): Promise<BenchServer> {
  const port = freePort();
  await Deno.writeTextFile(`${folder}/nginx.conf`, configuration({ ...options, port }));
  const words = ["nginx", "-p", folder, "-c", "nginx.conf", "-e", "stderr"];
  const [program, ...args] = pinned(options.processor, words);
  const child = new Deno.Command(program!, { args, stdin: "null", stdout: "null" }).spawn();
  const stop = async () => {
    try {
      child.kill("SIGTERM");
    } catch {
      // It has ended already.
    }
    await child.status;
  };
  try {
    await accepting(port, child.status);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, [Symbol.asyncDispose]: stop };
}
