import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { ServerProcess } from "../lib/testing/mod.ts";
import { answering, Chain, type Peer } from "./proxy/fixtures/chain.ts";

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const GET = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const LAST_GET = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

/** The number of a status line. */
function statusOf(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);
}

Deno.test("proxy keeps one connection to its backend for clients who come one after another", async () => {
  await using chain = await Chain.start(answering(OK));
  for (let index = 0; index < 5; index++) assertStringIncludes(await chain.exchange(LAST_GET), "\r\n\r\nok");
  const { opened, reused, requests, passed, retired } = await chain.stats();
  assertEquals({ opened, reused, requests, passed }, { opened: 1, reused: 4, requests: 5, passed: 5 });
  assertEquals(Object.values(retired).every((count) => count === 0), true);
});

Deno.test("proxy without a pool opens a connection for each request, and closes it first", async () => {
  const ends: string[] = [];
  await using chain = await Chain.start(
    async (peer) => {
      await peer.until("\r\n\r\n");
      await peer.send(OK);
      // The backend keeps the connection: what ends it is the proxy.
      ends.push(await peer.rest());
    },
    "--pool",
    "off",
  );
  using client = await chain.client();
  for (let index = 0; index < 3; index++) {
    await client.send(GET);
    await client.until("ok");
  }
  const { opened, reused, idle } = await chain.stats();
  assertEquals({ opened, reused, idle, ends }, { opened: 3, reused: 0, idle: 0, ends: ["", "", ""] });
});

Deno.test("proxy passes on heads and bodies of every framing, both ways", async (t) => {
  await using chain = await Chain.start(async (peer) => {
    for (;;) {
      const head = await peer.until("\r\n\r\n");
      const body = head.includes("content-length: 5")
        ? await peer.until("hello")
        : head.includes("chunked")
        ? await peer.until("0\r\n\r\n")
        : "";
      const path = head.split(" ")[1]!;
      const seen = `${head.split("\r\n")[0]}|${body}`;
      if (path === "/pieces") {
        await peer.send(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4;x=y\r\n`);
        await peer.send(`body\r\n0\r\ntrailer: 1\r\n\r\n`);
      } else if (path === "/close") {
        await peer.send(`HTTP/1.1 200 OK\r\n\r\nbody`);
        return peer[Symbol.dispose]();
      } else if (path === "/none") await peer.send("HTTP/1.1 204 No Content\r\n\r\n");
      else if (path === "/hints") {
        await peer.send(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}`);
      } else {await peer.send(
          `HTTP/1.1 200 OK\r\nX-Two: a\r\nX-Two: b\r\ncontent-length: ${seen.length}\r\n\r\n${seen}`,
        );}
    }
  });
  using client = await chain.client();
  const ask = async (request: string, ending: string) => {
    await client.send(request);
    return await client.until(ending);
  };
  await t.step("a length", async () => {
    const answer = await ask("POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello", "|hello");
    assertStringIncludes(answer, "X-Two: a\r\nX-Two: b\r\n");
    assertStringIncludes(answer, "\r\n\r\nPOST /x HTTP/1.1|hello");
  });
  await t.step("chunks of a request, framed anew", async () => {
    const request =
      "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5;x=1\r\nhello\r\n0\r\nt: 1\r\n\r\n";
    assertStringIncludes(await ask(request, "0\r\n\r\n"), "|5\r\nhello\r\n0\r\n\r\n");
  });
  await t.step("chunks of a response, framed anew", async () => {
    const answer = await ask("GET /pieces HTTP/1.1\r\nhost: a\r\n\r\n", "0\r\n\r\n");
    assertMatch(answer, /transfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n$/);
  });
  await t.step("a response that the connection's end ends", async () => {
    const answer = await ask("GET /close HTTP/1.1\r\nhost: a\r\n\r\n", "0\r\n\r\n");
    assertMatch(answer, /\r\n\r\n4\r\nbody\r\n0\r\n\r\n$/);
  });
  await t.step("no body", async () => {
    assertEquals(statusOf(await ask("GET /none HTTP/1.1\r\nhost: a\r\n\r\n", "\r\n\r\n")), 204);
  });
  await t.step("HEAD", async () => {
    const answer = await ask("HEAD /abc HTTP/1.1\r\nhost: a\r\n\r\n", "\r\n\r\n");
    assertStringIncludes(answer, "content-length: ");
  });
  await t.step("interim responses", async () => {
    assertMatch(
      await ask("GET /hints HTTP/1.1\r\nhost: a\r\n\r\n", "ok"),
      /^HTTP\/1\.1 103 [^]*HTTP\/1\.1 200 /,
    );
  });
  await t.step("requests that are sent before they are answered, in order", async () => {
    const paths = ["/1", "/2", "/3"];
    const answer = await ask(
      paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(""),
      "GET /3 HTTP/1.1|",
    );
    assertEquals([...answer.matchAll(/GET (\/\d)/g)].map(([, path]) => path), paths);
  });
});

Deno.test("proxy takes a length from an HTTP/1.0 client only, and closes", async () => {
  await using chain = await Chain.start(answering(OK));
  assertMatch(await chain.exchange("GET / HTTP/1.0\r\n\r\n"), /connection: close\r\n\r\nok$/);
  await using endless = await Chain.start(
    answering("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
  );
  assertEquals(statusOf(await endless.exchange("GET / HTTP/1.0\r\n\r\n")), 502);
});

Deno.test("proxy tells an HTTP/1.0 client that its connection goes on, if it asked for that", async () => {
  await using chain = await Chain.start(answering(OK));
  using client = await chain.client();
  for (let index = 0; index < 2; index++) {
    await client.send("GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n");
    assertStringIncludes(await client.until("ok"), "connection: keep-alive\r\n");
  }
});

Deno.test("proxy takes what follows a body for the next request, and refuses it when it is none", async () => {
  const seen: string[] = [];
  await using chain = await Chain.start(async (peer) => {
    for (;;) {
      await peer.until("\r\n\r\n");
      seen.push(await peer.take(5));
      await peer.send(OK);
    }
  });
  const post = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello and more\r\n\r\n";
  const statuses = (await chain.exchange(post)).match(/HTTP\/1\.1 \d+/g);
  assertEquals([statuses, seen], [["HTTP/1.1 200", "HTTP/1.1 400"], ["hello"]]);
});

Deno.test("proxy refuses heads that it must not pass on, and its backend sees nothing of them", async () => {
  let connections = 0;
  await using chain = await Chain.start(async (peer) => {
    connections++;
    await answering(OK)(peer, 0);
  });
  const head = (...lines: string[]) => ["GET / HTTP/1.1", "host: a", ...lines, "", ""].join("\r\n");
  const shapes: [number, string][] = [
    [400, head("content-length: 3", "transfer-encoding: chunked") + "0\r\n\r\n"],
    [400, head("content-length: 3", "content-length: 4") + "abcd"],
    [400, "GET / HTTP/1.1\nhost: a\n\n"],
    [400, head("x: a", " folded")],
    [400, "\x16\x03\x01\x02\n\n"],
    [431, head(`x: ${"y".repeat(64 * 1024)}`)],
    [501, head("transfer-encoding: gzip")],
  ];
  for (const [status, text] of shapes) {
    // Nothing behind it is taken for a request.
    const answer = await chain.exchange(text + GET);
    assertEquals([statusOf(answer), answer.split("HTTP/1.1 ").length - 1], [status, 1]);
  }
  assertEquals([(await chain.stats()).refused, connections], [shapes.length, 0]);
});

Deno.test("proxy answers for a backend that is down, slow, early or broken", async (t) => {
  const cases: Record<string, [status: number, kind: string, behaviour: (peer: Peer) => Promise<void>]> = {
    "silent": [504, "timed-out", async (peer) => void await peer.rest()],
    "closing without an answer": [502, "closed-early", async (peer) => {
      await peer.until("\r\n\r\n");
      peer[Symbol.dispose]();
    }],
    "no HTTP": [502, "bad-response", async (peer) => {
      await peer.send("220 mail ready\r\n\r\n");
      await peer.rest();
    }],
    "half a head": [502, "closed-early", async (peer) => {
      await peer.until("\r\n\r\n");
      await peer.send("HTTP/1.1 200 OK\r\ncont");
      peer[Symbol.dispose]();
    }],
    "a head without an end": [502, "bad-response", async (peer) => {
      await peer.send(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(64 * 1024)}`);
      await peer.rest();
    }],
    "a length beside a coding": [502, "bad-response", async (peer) => {
      await peer.until("\r\n\r\n");
      await peer.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n");
      await peer.rest();
    }],
    "malformed chunks": [502, "bad-response", async (peer) => {
      await peer.until("\r\n\r\n");
      await peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\nnonsense");
      await peer.rest();
    }],
    "another protocol unasked": [502, "bad-response", async (peer) => {
      await peer.until("\r\n\r\n");
      await peer.send("HTTP/1.1 101 Switching Protocols\r\n\r\n");
      await peer.rest();
    }],
  };
  for (const [name, [status, kind, behaviour]] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using chain = await Chain.start(behaviour, "--response-timeout", "200ms");
      assertEquals(statusOf(await chain.exchange(LAST_GET)), status);
      const { failed, passed } = await chain.stats();
      assertEquals([failed.length, failed[0].kind, failed[0].count, passed], [1, kind, 1, 0]);
    });
  }
  await t.step("down", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    // Nobody listens at the port of a client, and nobody else gets it while it is in use.
    using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
    const { port } = client.localAddr;
    await using proxy = await ServerProcess.start(new URL("./proxy.ts", import.meta.url), {
      flags: ["--backend", `127.0.0.1:${port}`],
    });
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`);
    assertEquals([response.status, await response.text()], [502, "refused in phase connect, side server\n"]);
  });
});

Deno.test("proxy lets nothing of a broken answer into the next one", async () => {
  const broken = `220 mail ready\r\n\r\n${OK.replace("ok", "no")}`;
  await using chain = await Chain.start(async (peer, index) => {
    for (;;) {
      await peer.until("\r\n\r\n");
      await peer.send(index === 0 ? broken : OK);
    }
  });
  using client = await chain.client();
  await client.send(GET);
  assertEquals(statusOf(await client.until("server\n")), 502);
  await client.send(GET);
  assertMatch(await client.until("ok"), /^HTTP\/1\.1 200 /);
  const { opened, reused, retired } = await chain.stats();
  assertEquals([opened, reused, retired["not-reusable"]], [2, 0, 1]);
});

Deno.test("proxy lets a client see that its answer was cut, never a false end", async (t) => {
  const cases: Record<string, string> = {
    "a length": "HTTP/1.1 200 OK\r\ncontent-length: 101\r\n\r\nbegun",
    "chunks": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n",
    "within a chunk": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\nbegun",
  };
  for (const [name, answer] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using chain = await Chain.start(async (peer) => {
        await peer.until("\r\n\r\n");
        await peer.send(answer);
        peer[Symbol.dispose]();
      });
      const seen = await chain.exchange(GET);
      assertStringIncludes(seen, "begun");
      assertEquals([seen.includes("0\r\n\r\n"), seen.split("HTTP/1.1").length - 1], [false, 1]);
      assertEquals((await chain.statsUntil(({ failed }) => failed.length > 0)).passed, 0);
    });
  }
});

Deno.test("proxy cancels the request to its backend when the client leaves", async (t) => {
  for (const [name, text] of Object.entries({ "one request": GET, "others behind it": GET.repeat(3) })) {
    await t.step(name, async () => {
      const came = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<string>();
      await using chain = await Chain.start(async (peer) => {
        await peer.until("\r\n\r\n");
        came.resolve();
        gone.resolve(await peer.rest());
      });
      {
        using client = await chain.client();
        await client.send(text);
        await came.promise;
      }
      assertEquals(await gone.promise, "");
      const { requests, left, inFlight, busy, failed } = await chain.statsUntil(({ left }) => left === 1);
      assertEquals({ requests, left, inFlight, busy, failed }, {
        ...{ requests: 1, left: 1, inFlight: 0, busy: 0, failed: [] },
      });
    });
  }
});

Deno.test("proxy gives a slow client up, and books it at the client", async (t) => {
  await t.step("one that does not finish its request", async () => {
    await using chain = await Chain.start(
      async (peer) => void await peer.rest(),
      ...["--response-timeout", "200ms"],
    );
    const answer = await chain.exchange("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nbegun");
    const { failed } = await chain.stats();
    assertEquals([statusOf(answer), failed], [408, [
      { phase: "send", kind: "timed-out", side: "client", count: 1 },
    ]]);
  });
  await t.step("one that does not finish its head, or sends none", async () => {
    await using chain = await Chain.start(answering(OK), "--client-timeout", "200ms");
    const answer = await chain.exchange("GET / HTTP/1.1\r\nhost: a");
    assertEquals([statusOf(answer), answer.includes("connection: close")], [408, true]);
    assertEquals(await chain.exchange(""), "");
    const { refused, requests } = await chain.stats();
    assertEquals([refused, requests], [1, 0]);
  });
  await t.step("one that takes nothing, and nothing is heaped up for it", async () => {
    let taken = 0;
    const ended = Promise.withResolvers<void>();
    const piece = "x".repeat(1024 * 1024);
    await using chain = await Chain.start(
      async (peer) => {
        await peer.until("\r\n\r\n");
        await peer.send("HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n");
        try {
          for (;; taken += piece.length) await peer.send(piece);
        } finally {
          ended.resolve();
        }
      },
      ...["--response-timeout", "200ms"],
    );
    using client = await chain.client();
    await client.send(GET);
    await ended.promise;
    const { failed, busy } = await chain.statsUntil(({ inFlight }) => inFlight === 0);
    assertEquals([failed, busy], [[{ phase: "receive", kind: "timed-out", side: "client", count: 1 }], 0]);
    // What the sockets hold: were it heaped up, the backend would not have had to stop.
    assertEquals(taken < 64 * piece.length, true);
  });
  await t.step("one that takes none of the answers of the proxy itself", async () => {
    await using chain = await Chain.start(answering(OK), "--client-timeout", "200ms");
    using client = await chain.client();
    const many = "GET /__stats HTTP/1.1\r\nhost: a\r\n\r\n".repeat(1000);
    await assertRejects(async () => {
      for (;;) await client.send(many);
    });
    assertEquals((await chain.statsUntil(({ clients }) => clients.active === 1)).requests, 0);
  });
});

Deno.test("proxy that has no descriptor left says so, and serves on", async () => {
  await using chain = await Chain.start(answering(OK), ...["--fds", "60", "--pool", "off"]);
  const ask = async () => statusOf(await chain.exchange(LAST_GET));
  const idle: Peer[] = [];
  /** Takes one descriptor of the proxy. */
  const occupy = async () => {
    const peer = await chain.client();
    idle.push(peer);
    await peer.send("GET /__stats HTTP/1.1\r\nhost: a\r\n\r\n");
    await peer.until("}\n");
  };
  try {
    let status = 200;
    // A request takes two: when there is one left, its client has it, and none is left for the backend.
    while (status === 200) {
      await occupy();
      status = await ask();
    }
    assertEquals(status, 503);
    await occupy();
    // There is none left to accept it with.
    const waiting = chain.exchange("GET /__stats HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    for (const peer of idle.splice(0)) peer[Symbol.dispose]();
    assertEquals(statusOf(await waiting), 200);
    await chain.statsUntil(({ clients }) => clients.active === 1);
    assertEquals(await ask(), 200);
    const { failed, inFlight } = await chain.stats();
    const kind = "descriptors-exhausted";
    assertEquals([failed, inFlight], [[{ phase: "connect", kind, side: "client", count: 1 }], 0]);
  } finally {
    for (const peer of idle) peer[Symbol.dispose]();
  }
});

Deno.test("proxy passes an early answer on, and lets neither connection carry another request", async () => {
  await using chain = await Chain.start(async (peer) => {
    await peer.until("\r\n\r\n");
    await peer.send("HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\nno");
    await peer.rest();
  });
  const answer = await chain.exchange("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nbegun");
  assertEquals([statusOf(answer), answer.endsWith("no"), answer.includes("connection: close")], [
    413,
    true,
    true,
  ]);
  const { idle, busy } = await chain.statsUntil(({ busy }) => busy === 0);
  assertEquals({ idle, busy }, { idle: 0, busy: 0 });
});

Deno.test("proxy tells its backend nothing whole of a body that its client cut or framed badly", async (t) => {
  const bodies: Record<string, [head: string, body: string, status: number]> = {
    "a length": ["content-length: 10", "begun", NaN],
    "chunks": ["transfer-encoding: chunked", "5\r\nbegun\r\n", NaN],
    "malformed chunks": ["transfer-encoding: chunked", "5\r\nbegun\r\nxyz\r\n", 400],
  };
  for (const [name, [head, body, status]] of Object.entries(bodies)) {
    await t.step(name, async () => {
      const seen = Promise.withResolvers<string>();
      await using chain = await Chain.start(async (peer) => seen.resolve(await peer.rest()));
      using client = await chain.client();
      await client.send(`POST / HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n${body}`);
      await client.closeWrite();
      assertEquals(statusOf(await client.rest()), status);
      const text = await seen.promise;
      // Malformed chunks go no further, not even what precedes the fault in the same read.
      assertEquals(text.includes("begun"), Number.isNaN(status));
      assertEquals(text.includes("0\r\n\r\n"), false);
    });
  }
});

Deno.test("proxy drops what a backend sends beyond its answer, with the connection", async () => {
  await using chain = await Chain.start(answering(`${OK}HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged`));
  using client = await chain.client();
  for (let index = 0; index < 3; index++) {
    await client.send(GET);
    assertEquals((await client.until("ok")).includes("forged"), false);
  }
  const { opened, reused } = await chain.stats();
  assertEquals({ opened, reused }, { opened: 3, reused: 0 });
});

Deno.test("proxy repeats a request once when a kept connection is dead, if it may be repeated", async (t) => {
  /** Answers one request on each connection, and ends it at the second. */
  const once = async (peer: Peer) => {
    await peer.until("\r\n\r\n");
    await peer.send(OK);
    await peer.until("\r\n\r\n");
    peer[Symbol.dispose]();
  };
  const POST = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n";
  const cases: Record<
    string,
    [flags: string[], second: string, status: number, stale: number, retried: number]
  > = {
    "GET": [[], GET, 200, 1, 1],
    "POST": [[], POST, 502, 1, 0],
    "GET without the retry": [["--retry-stale", "off"], GET, 502, 1, 0],
  };
  for (const [name, [flags, second, status, stale, retried]] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using chain = await Chain.start(once, "--watch-idle", "off", ...flags);
      using client = await chain.client();
      await client.send(GET);
      await client.until("ok");
      await client.send(second);
      assertEquals(statusOf(await client.until("\r\n\r\n")), status);
      const stats = await chain.stats();
      assertEquals([stats.stale.read + stats.stale.write, stats.retried.read + stats.retried.write], [
        stale,
        retried,
      ]);
    });
  }
});

Deno.test("proxy keeps to its limits of connections", async () => {
  const release = Promise.withResolvers<void>();
  let most = 0;
  let open = 0;
  await using chain = await Chain.start(
    async (peer) => {
      most = Math.max(most, ++open);
      for (;;) {
        await peer.until("\r\n\r\n");
        await release.promise;
        await peer.send(OK);
      }
    },
    "--max-per-backend",
    "2",
    "--idle-per-backend",
    "1",
  );
  const answers = Array.from({ length: 5 }, () => chain.exchange(LAST_GET));
  await chain.statsUntil(({ waiting }) => waiting === 3);
  release.resolve();
  assertEquals((await Promise.all(answers)).map(statusOf), [200, 200, 200, 200, 200]);
  const { idle, opened } = await chain.stats();
  assertEquals([most, opened, idle], [2, 2, 1]);
});

Deno.test("proxy takes its backends in turn", async () => {
  const backend = (name: string) =>
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response(name));
  await using first = backend("1");
  await using second = backend("2");
  await using proxy = await ServerProcess.start(new URL("./proxy.ts", import.meta.url), {
    flags: ["--backend", [first, second].map(({ addr }) => `127.0.0.1:${addr.port}`).join()],
  });
  const answers = [];
  for (let index = 0; index < 4; index++) {
    answers.push(await (await fetch(`http://127.0.0.1:${proxy.port}/`)).text());
  }
  assertEquals(answers, ["1", "2", "1", "2"]);
});

Deno.test("proxy refuses to start without a backend", async () => {
  const { code, complaints } = await ServerProcess.run(new URL("./proxy.ts", import.meta.url), []);
  assertEquals(code, 2);
  assertStringIncludes(complaints, "--backend is missing");
});
