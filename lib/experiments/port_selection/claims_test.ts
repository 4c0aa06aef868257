import { assert, assertEquals } from "@std/assert";
import { judge, type RunView } from "../../record/mod.ts";
import { BASE_MS, of, value, verdict, verdicts, view } from "./_made_run.ts";
import experiment from "./mod.ts";

const whole = view();

Deno.test("every claim has a verdict when the kernel does as the model has it", () => {
  assertEquals(verdicts(whole), [
    ...["C1 holds", "C2 holds", "C3 holds", "C4 differs", "C5 holds", "C6 holds", "C7 holds", "C8 holds"],
    // The whole range as a window is not walked by parity since Linux 6.8.
    ...["C9 differs", "C10 holds"],
  ]);
  assert(verdict(whole, "C4").includes("give --ports 56512"));
});

Deno.test("before Linux 6.8 a socket's own range is walked by parity, and before 6.3 there is none", () => {
  const older = view({ kernel: "6.7.12" });
  assert(verdict(older, "C5").startsWith("not applicable here: It is about Linux 6.8 and later"));
  assert(verdict(older, "C9").startsWith("holds"));
  const oldest = view({
    kernel: "6.2.0",
    arms: (row) => `${row.strategy}`.match(/window|full/) ? { ...row, elapsedMs: null, reason: "None" } : row,
    connects: (row) => `${row.variant}`.match(/window|full/) ? null : row,
  });
  for (const id of ["C4", "C5", "C9"]) assert(verdict(oldest, id).startsWith("not applicable here"));
});

Deno.test("another system, or a kernel that is not known, is not what the claims are about", () => {
  const other = {
    ...whole,
    environment: { system: { os: "darwin", kernel: "24.1.0" } },
  } as unknown as RunView;
  assertEquals(
    new Set(verdicts(other).map((text) => text.split(" ").slice(1).join(" "))),
    new Set([
      "not applicable here",
    ]),
  );
  assert(verdict({ ...whole, environment: null }, "C1").includes("an unknown kernel"));
});

Deno.test("claims say which strategies and comparisons would measure them", () => {
  const alone = view({ given: { strategies: "plain", compare: "none" } });
  assert(verdict(alone, "C1").startsWith("holds"));
  assert(verdict(alone, "C2").includes("--strategies plain --compare sources"));
  assert(verdict(alone, "C3").includes("--strategies select-test-repeat"));
  assert(verdict(alone, "C8").includes("--compare low"));
  assert(verdict(alone, "C10").includes("--compare family"));
});

Deno.test("a connect() that takes as long for both parities contradicts C1 and C10, and nothing else is slow", () => {
  const flat = view({ connects: (row) => ({ ...row, connectMs: BASE_MS }) });
  const given = verdicts(flat);
  for (const id of ["C1", "C2", "C10"]) assert(given.includes(`${id} differs`), id);
});

Deno.test("where C1 and C10 differ in a small range, the reason names one that is large enough", () => {
  const flat = (ports: number) =>
    view({
      given: { ports, strategies: "plain" },
      connects: (row) => ({ ...row, connectMs: BASE_MS }),
    });
  const [small, large] = [flat(1999), flat(2000)];
  for (const id of ["C1", "C10"]) {
    assert(verdict(small, id).startsWith("differs: One parity takes 1.0"), verdict(small, id));
    assert(verdict(small, id).endsWith("half of 1,999 ports: give --ports 2000 or more"), verdict(small, id));
    assert(verdict(large, id).startsWith("differs: One parity takes 1.0"), verdict(large, id));
    assert(!verdict(large, id).includes("--ports"), verdict(large, id));
  }
});

Deno.test("C6 tells what the last ports of the range take", () => {
  const rising = view({
    given: { strategies: "udp" },
    connects: of("udp", (row) => ({ ...row, connectMs: row.order as number >= 3920 ? 0.5 : 0.001 })),
  });
  const text = verdict(rising, "C6");
  assert(text.startsWith("holds"), text);
  assert(
    text.endsWith("; the last 2 % of the ports take 0.5 ms in the mean, those before 0.001 ms"),
    text,
  );
});

Deno.test("C9 says from Linux 6.8 on that its first half is expected to differ", () => {
  const expected = "expected, as this kernel is Linux 6.8 or later, and no contradiction to C5";
  assert(verdict(whole, "C9").startsWith("differs: The whole range as a window has no step"));
  assert(verdict(whole, "C9").includes(expected));
  const older = view({
    kernel: "6.7.12",
    connects: of("full-range", (row) => ({ ...row, connectMs: BASE_MS })),
  });
  assert(verdict(older, "C9").startsWith("differs"), verdict(older, "C9"));
  assert(!verdict(older, "C9").includes("expected"));
});

Deno.test("reasons are short enough to read in a table", () => {
  const stated = view({ given: { ports: 2000 } });
  for (const { id, reason } of [whole, stated].flatMap((run) => judge(experiment.claims!, run))) {
    assert(reason!.length <= 300, `${id}: ${reason}`);
  }
});

Deno.test("C1 is about the means: where other programs bring them together, medians that are apart do not help", () => {
  const disturbed = view({
    connects: of("plain", (row) => ({
      ...row,
      connectMs: (row.order as number) % 100 === 0 ? 10 : row.connectMs as number,
    })),
  });
  assert((value(disturbed, "parityRatioP50", "plain") ?? 0) > 5);
  assert(verdict(disturbed, "C1").startsWith("differs: One parity takes 1."), verdict(disturbed, "C1"));
});

Deno.test("C1 is about one source over IPv4, whatever the run was asked for, and C10 about IPv6", () => {
  const flat = (given: Record<string, unknown>, variant: string) =>
    view({
      given: { strategies: "plain", ...given },
      connects: of(variant, (row) => ({ ...row, connectMs: BASE_MS })),
    });
  const verdictsOf = (run: RunView) => verdicts(run).filter((text) => /^C1?[10] /.test(text));
  assertEquals(verdictsOf(flat({ sources: 2 }, "plain/1-source")), ["C1 differs", "C10 holds"]);
  assertEquals(verdictsOf(flat({ family: "ipv6" }, "plain/ipv4")), ["C1 differs", "C10 holds"]);
  assertEquals(verdictsOf(flat({ family: "ipv6" }, "plain")), ["C1 holds", "C10 differs"]);
  const alone = view({ given: { strategies: "plain", family: "ipv6", compare: "none" } });
  assert(verdict(alone, "C1").includes("--compare family"));
});

Deno.test("C4 holds when each window has more errors than the one before, and not when two have as many", () => {
  const failing = (...counts: number[]) => {
    const sizes = ["window/0.88%", "window", "window/8.85%", "window/17.7%"];
    return view({
      given: { strategies: "window", ports: 1000 },
      connects: (row) => {
        const fails = (row.order as number) < (counts[sizes.indexOf(row.variant as string)] ?? 0);
        return fails
          ? { ...row, port: null, parity: null, result: "local-ports-exhausted" }
          : { ...row, port: 9024, parity: "even", result: "ok" };
      },
    });
  };
  assert(verdict(failing(20, 21, 100, 200), "C4").startsWith("holds"));
  for (const counts of [[20, 20, 100, 200], [21, 20, 100, 200], [20, 21, 200, 199]]) {
    assert(verdict(failing(...counts), "C4").startsWith("differs"), counts.join());
  }
});

Deno.test("C8 takes two parities that are alike for no evidence", () => {
  const flat = view({ connects: of("bind-first", (row) => ({ ...row, connectMs: BASE_MS })) });
  assert(verdict(flat, "C8").startsWith("differs"));
  assert(verdict(flat, "C8").includes("bind-first from 9024: neither is fast"));
});

Deno.test("a failure with the whole range, or a parity that is slower, contradicts C5", () => {
  const fails = view({
    connects: of(
      "full-range",
      (row) => row.order === 3999 ? { ...row, port: null, parity: null, result: "other" } : row,
    ),
  });
  assert(verdict(fails, "C5").startsWith("differs: 1 of 4,000 connects failed"));
  const odd = view({
    connects: of("full-range", (row) => ({ ...row, connectMs: row.parity === "odd" ? 0.2 : 0.01 })),
  });
  assert(verdict(odd, "C5").startsWith("differs"));
});

Deno.test("a few connects that took very long do not decide for one parity, half of them do", () => {
  const slow = (share: number) =>
    view({
      connects: of("udp", (row) => ({
        ...row,
        connectMs: row.parity === "odd" && (row.order as number) % 100 < share * 100 ? 5 : 0.01,
      })),
    });
  assert(verdict(slow(0.04), "C6").includes("judged by the last two, as fewer than one connect in four"));
  assert(verdict(slow(0.5), "C6").startsWith("differs"));
});

Deno.test("attempts that do not follow the use contradict C3", () => {
  const few = view({ connects: of("select-test-repeat", (row) => ({ ...row, attempts: 1 })) });
  assert(verdict(few, "C3").startsWith("differs"));
});

Deno.test("no port in double use contradicts C7, and a fast parity that stays contradicts C8", () => {
  const apart = view({
    connects: of("udp-reuse", (row) => ({ ...row, port: 9024 + (row.order as number) })),
  });
  assert(verdict(apart, "C7").startsWith("differs: 0 ports"));
  const stays = view({
    connects: of(
      "plain/low-9025",
      (row) => ({ ...row, parity: null, connectMs: row.port as number % 2 ? 1 : 0.01 }),
    ),
  });
  assert(verdict(stays, "C8").startsWith("differs"));
});

Deno.test("an arm that was interrupted is not judged", () => {
  const cut = view({ arms: of("plain", (row) => ({ ...row, elapsedMs: null })) });
  assertEquals(verdict(cut, "C1"), "not measured: plain was not finished");
});
