import type { Param } from "../../lib/record/mod.ts";

/** Where a server listens. */
export interface Endpoint {
  /** Its address, an IPv6 one without brackets. */
  readonly hostname: string;
  /** Its port. */
  readonly port: number;
}

const ACCEPTS = "HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080";

/** Reads one endpoint; `null` when it is none. */
function parseEndpoint(text: string): Endpoint | null {
  const parts = /^(?:\[([\da-f:.]+)\]|([^:,[\]\s]+)):(\d{1,5})$/i.exec(text);
  const port = Number(parts?.[3]);
  if (parts === null || !(port >= 1 && port <= 65_535)) return null;
  return { hostname: parts[1] ?? parts[2]!, port };
}

/**
 * An endpoint as it is written.
 *
 * @param endpoint the endpoint
 * @returns such as `127.0.0.1:8080` or `[::1]:8080`
 */
export function endpointText({ hostname, port }: Endpoint): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
}

/**
 * A flag that names endpoints, separated by commas. There is no default: left out, it reads as none.
 *
 * @param help what they are
 * @returns the flag
 */
export function endpoints(help: string): Param<readonly Endpoint[]> {
  return {
    kind: "text",
    help,
    accepts: `${ACCEPTS}; several separated by commas`,
    default: [],
    parse(given) {
      const read = String(given).split(",").map((part) => parseEndpoint(part.trim()));
      const found = read.filter((endpoint) => endpoint !== null);
      return found.length === read.length ? { value: found } : { must: ACCEPTS };
    },
    format: (value) => value.length === 0 ? null : value.map(endpointText).join(),
  };
}

/**
 * A flag that names one endpoint. There is no default: left out, it reads as `null`.
 *
 * @param help what it is
 * @returns the flag
 */
export function endpoint(help: string): Param<Endpoint | null> {
  return {
    kind: "text",
    help,
    accepts: ACCEPTS,
    default: null,
    parse(given) {
      const value = parseEndpoint(String(given));
      return value === null ? { must: ACCEPTS } : { value };
    },
    format: (value) => value === null ? null : endpointText(value),
  };
}
