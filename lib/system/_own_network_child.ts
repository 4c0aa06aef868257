/** A process of the tests, in user and network namespaces of its own: enters networks and tells what is there. */
import { announce } from "./announce.ts";
import { readNetworkSetting } from "./network_settings.ts";
import { enterFreshNetwork, OwnNetwork } from "./own_network.ts";

const RANGE = "net.ipv4.ip_local_port_range";

function refusal(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return `${error}`;
  }
}

/** Whether what Deno listens on at an address is reached by Deno and by fetch. */
async function isReached(hostname: string): Promise<boolean> {
  await using server = Deno.serve({ hostname, port: 0, onListen: () => {} }, () => new Response("here"));
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const text = await (await fetch(`http://${host}:${server.addr.port}`)).text();
  using connection = await Deno.connect({ hostname, port: server.addr.port });
  return text === "here" && (connection.remoteAddr as Deno.NetAddr).port === server.addr.port;
}

/** The first port that the system gives out in the calling thread's network. */
async function firstPort(): Promise<number> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const [accepted, connection] = await Promise.all([
    listener.accept(),
    Deno.connect({ hostname: "127.0.0.1", port }),
  ]);
  accepted.close();
  using _ = connection;
  return (connection.localAddr as Deno.NetAddr).port;
}

const outer = OwnNetwork.adopt();
outer.set(RANGE, [20_000, 20_001]);
const first = enterFreshNetwork({
  [RANGE]: [30_000, 30_001],
  "net.ipv4.ip_local_reserved_ports": "30005,30003-30004",
  "net.ipv4.tcp_tw_reuse": 0,
});
const ports = await firstPort();
const reserved = first.get("net.ipv4.ip_local_reserved_ports");
const second = enterFreshNetwork();
announce({
  networks: [outer.id, first.id, second.id],
  port: ports,
  reserved,
  presets: [readNetworkSetting(RANGE), second.get("net.ipv4.ip_local_reserved_ports")],
  reached: await Promise.all(["127.0.0.1", "127.9.8.7"].map(isReached)),
  // Nothing of the others is reached by mistake.
  left: [refusal(() => first.set(RANGE, [1, 2])), refusal(() => outer.get(RANGE))],
  backwards: [refusal(() => second.set(RANGE, [40_000, 30_000])), second.get(RANGE)],
  absent: refusal(() => second.set("net.ipv4.tcp_tw_misuse", 1)),
  forbidden: refusal(() => second.set("net.ipv4.tcp_available_congestion_control", "reno")),
  misnamed: ["kernel.hostname", "net", "net.ipv4/../../kernel"].map((name) =>
    refusal(() => second.set(name, 1))
  ),
});
