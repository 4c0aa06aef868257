/**
 * A port that nothing listens on: for a program that takes no 0. The system gives it to nobody else soon, since it goes
 * round the range.
 *
 * @returns the port
 */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
