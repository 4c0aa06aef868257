import { assertEquals, assertThrows } from "@std/assert";
import { MisuseError } from "../../record/mod.ts";
import { isLoopback, requireAllowed } from "./allowed_target.ts";

const HOSTS: readonly [url: string, loopback: boolean][] = [
  ["http://localhost/", true],
  ["http://LOCALHOST./", true],
  ["http://api.localhost:8080/", true],
  ["http://127.0.0.1/", true],
  ["http://127.200.3.4/", true],
  ["http://127.1/", true],
  ["http://[::1]:8080/", true],
  ["http://[::ffff:127.0.0.1]/", true],
  ["http://notlocalhost/", false],
  ["http://localhost.example.org/", false],
  ["http://127.0.0.1.example.org/", false],
  ["http://10.0.0.1/", false],
  ["http://0.0.0.0/", false],
  ["http://[::]/", false],
  ["http://[::ffff:10.0.0.1]/", false],
  ["http://[fe80::1]/", false],
];

for (const [url, loopback] of HOSTS) {
  Deno.test(`${url} is ${loopback ? "" : "not "}loopback, and ${loopback ? "needs no" : "needs a"} name`, () => {
    assertEquals(isLoopback(new URL(url).hostname), loopback);
    if (loopback) return requireAllowed(url, "");
    assertThrows(() => requireAllowed(url, ""), MisuseError, "named with --allow-remote");
    requireAllowed(url, new URL(url).hostname);
  });
}

Deno.test("requireAllowed() takes the one host that was named, however it is spelled, and no other", () => {
  requireAllowed("http://Example.test:8080/x", " example.TEST ");
  requireAllowed("http://[2001:db8::1]/", "2001:db8::1");
  for (const allowed of ["example.tes", "a.example.test", "test", "*", "example.test:8080"]) {
    assertThrows(
      () => requireAllowed("http://example.test:8080/", allowed, "probe"),
      MisuseError,
      `Cannot probe example.test as it is not loopback and was not named with --allow-remote example.test ` +
        `(allowRemote in a cell): ${allowed} is another host`,
    );
  }
});
