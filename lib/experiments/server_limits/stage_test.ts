import { assertEquals } from "@std/assert";
import { resolveParams } from "../../record/mod.ts";
import { RecordingContext } from "../_shared/recording_context.ts";
import type { Arm } from "./mode.ts";
import { params } from "./params.ts";
import { slow } from "./slow.ts";
import { Stage } from "./stage.ts";
import { tables } from "./tables.ts";

Deno.test("an arm that takes too long is given up with the server's name, and no other is begun with it", async () => {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());
  const target = `http://127.0.0.1:${server.addr.port}/`;
  const { values } = resolveParams(params, { mode: "slow", target });
  const { context, warnings } = new RecordingContext(tables);
  await using stage = await Stage.open(values, context);
  const [arm] = slow.arms(values) as [Arm];
  const found: (string | null)[] = [];
  const begin = () =>
    stage.measure(arm, 20, async (stage) => {
      found.push(stage.givenUp);
      await stage.pause(3_600_000);
      found.push(stage.givenUp);
    });
  assertEquals([await begin(), await begin()], [null, `Not begun: ${target} did not answer before`]);
  assertEquals(found, [null, `${target} did not answer within 0 s`]);
  assertEquals(warnings, ["server-silent"]);
});
