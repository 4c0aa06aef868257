import { assert, assertRejects } from "@std/assert";
import { connectTcp } from "../../transport/mod.ts";
import { BlackHole } from "./black_hole.ts";

// Other systems may answer with a reset when the accept queue is full.
if (Deno.build.os === "linux") {
  Deno.test("BlackHole neither accepts nor refuses", async () => {
    using hole = await BlackHole.open();
    assert(hole);
    const { hostname, port } = hole;
    const signal = AbortSignal.timeout(50);
    const error = await assertRejects(() => connectTcp({ hostname, port, signal }));
    assert(error === signal.reason, `${error}`);
  });
}
