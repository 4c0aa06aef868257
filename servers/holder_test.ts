import { assert, assertEquals, assertMatch } from "@std/assert";
import { Holder, libcPath, RawSocket, readSockets, SocketAddress } from "../lib/system/mod.ts";
import { ServerProcess, until } from "../lib/testing/mod.ts";

const HOLDER = new URL("./holder.ts", import.meta.url);

function open(): RawSocket {
  const opened = RawSocket.open();
  assert(opened.ok);
  return opened.socket;
}

if (Deno.build.os === "linux") {
  const rights = [`--allow-ffi=${libcPath()}`];

  Deno.test("it says where it is found, keeps what it is given, and frees it when it is told to stop", async () => {
    await using server = await ServerProcess.start(HOLDER, { rights });
    const { pid, hostname, port, ports } = server.announcement;
    assertEquals({ hostname, port, ports }, { hostname: `@connlab-holder-${pid}`, port: 0, ports: [] });

    using listener = open();
    const bound = listener.bind(new SocketAddress("127.0.0.1"));
    assert(bound.ok && listener.listen(8));
    using client = open();
    assert(client.connectTo(new SocketAddress("127.0.0.1", bound.localPort)));
    const { localPort } = client;
    using holder = Holder.connect(pid);
    assertEquals(holder.hold([client]), { ok: true, held: 1 });
    const states = () =>
      readSockets({ ports: new Set([bound.localPort]) }).filter(({ local }) => local.port === localPort)
        .map(({ state }) => state);
    assertEquals(states(), ["ESTABLISHED"]);

    assertEquals(await server.end("stop"), { code: 0, output: "", complaints: "" });
    await until(() => states()[0] !== "ESTABLISHED");
  });
}

Deno.test("it takes no flags but for help", async () => {
  const helped = await ServerProcess.run(HOLDER, ["--help"]);
  assertEquals(helped.code, 0);
  assertMatch(helped.output, /^Keeps sockets open for another process/);
  const { code, complaints } = await ServerProcess.run(HOLDER, ["--ports", "3"]);
  assertEquals(code, 2);
  assertMatch(complaints, /Cannot start holder as there is no flag --ports/);
});
