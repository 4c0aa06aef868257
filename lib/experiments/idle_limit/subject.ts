import { connectTcp, connectTls, encodeRequest } from "../../transport/mod.ts";
import { isLoopback } from "../_shared/allowed_target.ts";
import { destinationOf } from "../_shared/subject.ts";
import type { Visited } from "../_shared/visitor.ts";
import type { ServerHandle } from "../contract.ts";
import type { Values } from "./params.ts";

/** What is probed, and how it is asked. */
export interface Subject extends Visited {
  /** Its URL. */
  readonly url: string;
  /** Whether it is this machine. */
  readonly loopback: boolean;
}

/**
 * What the parameters name: a target, or the lab's own server.
 *
 * @param params the parameters
 * @param origin the lab's own server, where it runs
 * @returns the subject
 */
export function subjectOf(
  params: Pick<Values, "target" | "hostHeader" | "ca">,
  origin?: ServerHandle,
): Subject {
  const url = params.target ?? `http://${origin!.hostname}:${origin!.port}/static`;
  const { hostname, port, path } = destinationOf(url);
  const { protocol, host: hostOfUrl } = new URL(url);
  const host = params.hostHeader || hostOfUrl;
  const caCerts = params.ca === null ? [] : [params.ca];
  return {
    url,
    loopback: isLoopback(hostname),
    request: { method: "GET", bytes: encodeRequest({ method: "GET", path, hostname, port, host }) },
    connect: protocol === "https:"
      ? (signal) => connectTls({ hostname, port, signal, caCerts, alpn: ["http/1.1"] })
      : (signal) => connectTcp({ hostname, port, signal }),
  };
}
