import { assert, assertEquals, assertMatch } from "@std/assert";
import { judge, type Row } from "../../record/mod.ts";
import { type Change, inRotation, Made, NEW, OLD, reasonOf, verdicts, view, where } from "./_made_run.ts";
import experiment from "./mod.ts";

Deno.test("A5 differs with a second connection, and is not measured where the ends count unlike", () => {
  const pool = (change: Row) => where("pools", ({ variant }) => variant === "shared", change);
  assertEquals(verdicts(view(new Made(pool({ opened: 2, accepted: 2 }))))[0], "A5 differs");
  assertEquals(verdicts(view(new Made(pool({ opened: 1, accepted: 2 }))))[0], "A5 not measured");
  assertEquals(verdicts(view(new Made(), { clients: 1 }))[0], "A5 not measured");
});

Deno.test("the reason of a verdict names its number, and what is counted", () => {
  const rotation = (row: Row) => row.variant === "rotation";
  const at = (name: string, order: number) => (row: Row) => row.variant === name && row.order === order;
  const runs = [
    new Made(),
    new Made(where("pools", ({ variant }) => variant === "shared", { opened: 2, accepted: 2 })),
    new Made(where("requests", inRotation(2), { connection: 2 })),
    new Made(where("resolutions", rotation, null)),
    new Made(where("pools", rotation, { opened: 4 })),
    new Made(where("requests", at("none/busy", 6), { address: NEW })),
    new Made(where("requests", at("lifetime/idle", 7), { address: OLD })),
    new Made(where("resolutions", ({ variant }) => variant === "none/idle", null)),
  ].map((made) => view(made));
  for (const { id, measured, unit, reason } of runs.flatMap((run) => judge(experiment.claims!, run))) {
    assert(measured !== null, `${id}: ${reason}`);
    const said = `${Math.round(measured)} ${unit === "ms" ? "ms" : ""}`;
    assert(` ${reason}`.includes(` ${said}`) || reason!.includes(`(${said}`), `${id}: ${said} in ${reason}`);
  }
});

Deno.test("A5 is not measured where one client alone came to make requests", () => {
  const alone = where("requests", ({ variant }) => variant === "shared", { client: 1 });
  const run = view(new Made(alone));
  assertEquals(verdicts(run)[0], "A5 not measured");
  assertMatch(reasonOf(run, "A5"), /1 of 3 clients/);
});

Deno.test("A6 differs when the connection changes elsewhere, and is open when a late request explains it", () => {
  const early = where("requests", inRotation(2), { connection: 2 });
  assertEquals(verdicts(view(new Made(early)))[1], "A6 differs");
  const late = where("requests", inRotation(2), { connection: 2, dueMs: 1400 });
  assertEquals(verdicts(view(new Made(late)))[1], "A6 not measured");
});

Deno.test("A6 is open when a slow opening or answer explains any difference", () => {
  const differences: Change[] = [
    where("requests", inRotation(3), { connection: 1 }),
    where("pools", ({ variant }) => variant === "rotation", { opened: 4 }),
    where("resolutions", ({ variant }) => variant === "rotation", null),
  ];
  for (const change of differences) {
    const slow = (elapsedMs: number): Change => (table, row) => {
      const changed = change(table, row);
      return changed && table === "requests" && inRotation(0)(row) ? { ...changed, elapsedMs } : changed;
    };
    assertEquals(verdicts(view(new Made(slow(499))))[1], "A6 differs");
    const run = view(new Made(slow(500)));
    assertEquals(verdicts(run)[1], "A6 not measured");
    assertMatch(reasonOf(run, "A6"), /; but a request was 500 ms late, and 500 ms decide/);
  }
});

Deno.test("A6 differs without a new port, or with another number of resolutions or connections", () => {
  const cases: Change[] = [
    where("requests", (row) => row.variant === "rotation" && row.order === 6, { clientPort: 40_000 }),
    where("resolutions", ({ variant }) => variant === "rotation", null),
    where("pools", ({ variant }) => variant === "rotation", { opened: 4 }),
    where("pools", ({ variant }) => variant === "rotation", { accepted: 2 }),
  ];
  // The port of the last request is that of none before it: one more is one too few for the server.
  assertEquals(cases.map((change) => verdicts(view(new Made(change)))[1]), [
    "A6 not measured",
    "A6 differs",
    "A6 differs",
    "A6 differs",
  ]);
  const samePort = (table: string, row: Row) =>
    table !== "pools" && "clientPort" in row ? { ...row, clientPort: 40_000 } : row;
  assertEquals(verdicts(view(new Made(samePort)))[1], "A6 differs");
});

Deno.test("A6 is not measured when the server saw another port or nothing, a request failed, or none came late", () => {
  const unseen = where("visits", ({ id }) => id === 4, null);
  const failed = where("requests", inRotation(1), { failureKind: "reset" });
  assertEquals(verdicts(view(new Made(unseen)))[1], "A6 not measured");
  assertEquals(verdicts(view(new Made(failed)))[1], "A6 not measured");
  const short = view(new Made(), { lifetime: "20s" });
  assertEquals(verdicts(short)[1], "A6 not measured");
  assertMatch(reasonOf(short, "A6"), /--requests 21$/);
  assertEquals(verdicts(view(new Made(), { requests: 8 }))[1], "A6 not measured");
});

Deno.test("A15 differs when a pool without a lifetime moves, or one with it stays or moves too late", () => {
  const at = (name: string, order: number) => (row: Row) => row.variant === name && row.order === order;
  const moved = where("requests", at("none/busy", 6), { address: NEW });
  const stayed = where("requests", at("lifetime/idle", 7), { address: OLD });
  const late = where("requests", at("lifetime/idle", 6), { address: OLD });
  const tooLate = view(new Made(late), { lifetime: "1s" });
  const twice = where("resolutions", ({ variant }) => variant === "none/idle", null);
  const runs = [view(new Made(moved)), view(new Made(stayed)), tooLate, view(new Made(twice))];
  assertEquals(runs.map((run) => verdicts(run)[2]), new Array(4).fill("A15 differs"));
});

Deno.test("A15 is open when slow answers explain that a pool with a lifetime stays", () => {
  // 998 ms are left of the run when all should have moved, and a busy request is to take 250 ms.
  const stayed = (elapsedMs: number): Change => (table, row) => {
    if (table !== "requests" || row.variant !== "lifetime/busy" || row.order !== 7) return row;
    return { ...row, address: OLD, dueMs: null, elapsedMs };
  };
  assertEquals(verdicts(view(new Made(stayed(300))))[2], "A15 differs");
  const run = view(new Made(stayed(600)));
  assertEquals(verdicts(run)[2], "A15 not measured");
  assertMatch(reasonOf(run, "A15"), /Did not move within the run.*; but with requests as late/);
});

Deno.test("A15 is not measured without requests after the move, or where the server was not reached", () => {
  const none = where("requests", ({ variant, order }) => variant === "none/idle" && Number(order) > 2, null);
  const unmoved = where("moves", () => true, null);
  const elsewhere = where("visits", ({ address }) => address === NEW, { address: OLD });
  const ended = where("moves", () => true, { endedMs: 4000 });
  const movedLast = where("moves", () => true, { endedMs: 2700 });
  const late = (table: string, row: Row) =>
    table === "requests" && row.variant === "lifetime/idle" && Number(row.order) >= 6
      ? { ...row, address: row.order === 6 ? OLD : NEW, dueMs: 0 }
      : row;
  const changes = [none, unmoved, elsewhere, ended, late, movedLast];
  const runs = changes.map((change) => view(new Made(change)));
  assertEquals(runs.map((run) => verdicts(run)[2]), new Array(6).fill("A15 not measured"));
  assertMatch(reasonOf(runs[3]!, "A15"), /ended 1250 ms after the move/);
  assertMatch(reasonOf(runs[4]!, "A15"), /more than 3500; but with requests as late/);
  assertMatch(reasonOf(runs[1]!, "A15"), /ended before the name moved/);
  assertMatch(reasonOf(runs[5]!, "A15"), /so late that the name moved after the last request/);
});
