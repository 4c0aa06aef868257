import type { ClientOptions } from "../../transport/mod.ts";
import { knock } from "../_shared/knock.ts";
import { OriginSubject, type Subject } from "../_shared/subject.ts";
import type { MeasureContext } from "../contract.ts";
import type { Values } from "./params.ts";
import { stackOf } from "./stack.ts";

/** How long one request may take, in milliseconds: a server that hangs is told well within the budget. */
const LIMITS = { timeoutMs: 10_000 };

/** What both clients speak over plain connections. */
const PLAIN_PROTOCOL = "http/1.1";

/** Where the requests over one transport go, and how. */
export interface Route {
  /** The server. */
  readonly subject: Subject;
  /** How the clients speak to it. */
  readonly client: ClientOptions;
  /** The one protocol that the clients speak. */
  readonly spoken: string;
  /** Whether the server counts connections as they begin and end. */
  readonly countsConnections: boolean;
}

/** The routes of a run. Over plain connections there is none, when a target is reached over TLS alone. */
export type Routes = { readonly tls: Route; readonly plain?: Route };

/**
 * Finds the servers of a run: the lab's own, or the person's, which must answer a first request each.
 *
 * @param params the parameters
 * @param context the servers, and where warnings go
 * @returns the routes
 * @throws {Error} a target does not answer
 */
export async function routesOf(params: Values, context: MeasureContext): Promise<Routes> {
  const { target } = params;
  return target === null ? originRoutes(params, context) : await targetRoutes(target, params, context);
}

function originRoutes(params: Values, { servers, prepared }: MeasureContext): Routes {
  const { alpn, bodyBytes } = params;
  const caCerts = [prepared.ca!];
  const countsConnections = stackOf(params) === "node";
  return {
    plain: {
      subject: new OriginSubject(servers.plain!, { bodyBytes }),
      client: LIMITS,
      spoken: PLAIN_PROTOCOL,
      countsConnections,
    },
    tls: {
      subject: new OriginSubject(servers.tls!, { bodyBytes, caCerts }),
      client: { tls: { caCerts, alpn }, ...LIMITS },
      spoken: alpn,
      countsConnections,
    },
  };
}

async function targetRoutes(target: string, params: Values, { warn }: MeasureContext): Promise<Routes> {
  const { alpn, ca, plainTarget } = params;
  const countsConnections = false;
  const tls = { alpn, ...(ca === null ? {} : { caCerts: [ca] }) };
  const variant = alpn === "h2" ? "fetch/new" : "raw/new";
  const subject = await knock(target, { warn, variant, client: { tls } });
  const tlsRoute = { subject, client: { tls, ...LIMITS }, spoken: alpn, countsConnections };
  if (plainTarget === null) return { tls: tlsRoute };
  const plain = await knock(plainTarget, { warn });
  return {
    tls: tlsRoute,
    plain: { subject: plain, client: LIMITS, spoken: PLAIN_PROTOCOL, countsConnections },
  };
}
