import { assertEquals } from "@std/assert";
import { accountsOf, findMismatch } from "./accounts.ts";
import { cellWith } from "./_testing.ts";

const LOST = { failureKind: "reset", received: 0 };

Deno.test("accountsOf() counts requests of callers, what was sent again and what the server received", () => {
  const cells = [
    cellWith({ id: 2 }),
    cellWith({ id: 4, ...LOST }),
    cellWith({ id: 6, retried: 1, received: 2 }),
    cellWith({ id: 8, firstFailureKind: "refused", firstReceived: 0, startMs: null, received: 0 }),
  ];
  assertEquals(accountsOf(cells), [{
    ...{ variant: "direct/raw/never/GET", sent: 7, answered: 5, failed: 2 },
    ...{ retried: 1, received: 6, duplicates: 1 },
  }]);
  assertEquals(findMismatch(cells, [1, 2, 3, 5, 6, 6]), null);
});

Deno.test("accountsOf() counts nothing of a server that could not be asked", () => {
  const unknown = { firstReceived: null, received: null, retried: null };
  const [account] = accountsOf([cellWith({ id: 2 }), { ...cellWith({ id: 4 }), ...unknown }]);
  const { sent, answered, retried, received, duplicates } = account!;
  assertEquals([sent, answered, retried, received, duplicates], [4, 4, null, null, null]);
});

Deno.test("findMismatch() finds what does not add up, whichever end tells it", () => {
  const find = (visits: number[], changes = {}) =>
    findMismatch([cellWith(changes)], visits)?.split(": ").at(-1);
  assertEquals(find([1, 2]), undefined);
  assertEquals(find([1, 2, 3]), "The server received request 3, which no pair has sent");
  assertEquals(find([1]), "request 2 was received 0 times, not 1");
  assertEquals(find([1, 2], { received: 0 }), "request 2 was received 1 times, not 0");
  assertEquals(find([1], { received: 0 }), "request 2 was answered, and the server never received it");
  assertEquals(find([1, 2, 2], { received: 2 }), "request 2 was sent 1 times and received 2 times");
  assertEquals(find([1, 2, 2], { received: 2, retried: 1 }), undefined);
});
