import { choice, duration, integer, type ParamsOf, pem, text, url } from "../../record/mod.ts";

/** The parameters. */
export const params = {
  target: url({
    default: null,
    help: "the server to probe instead of the lab's own; every connection requests this URL once",
  }),
  allowRemote: text({
    default: "",
    help: "the host of a target that is not loopback, named once more: it is probed only then",
  }),
  ca: pem({ default: null, help: "file with the certificates that the target's is checked against" }),
  hostHeader: text({ default: "", help: "the Host field of the request instead of the URL's host" }),
  budget: duration({
    min: "1s",
    default: "2m",
    quick: "5s",
    help: "how long the probe takes at most; limits beyond are told as longer",
  }),
  connections: integer({
    min: 4,
    max: 200,
    default: 16,
    help: "connections at once: half idle after their request, half before it",
  }),
  serverIdle: duration({
    min: "100ms",
    default: "5s",
    quick: "1s",
    help: "idle limit that the lab's own server is given, on node:http",
  }),
  stack: choice(["node", "deno"], {
    default: "node",
    help: "stack of the lab's own server: node:http, or Deno.serve, which has no idle limit",
  }),
};

/** What the experiment sees of its {@linkcode params}. */
export type Values = ParamsOf<typeof params>;
