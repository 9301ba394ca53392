import assert from "node:assert/strict";
import fc from "fast-check";
import { type Completion, LIMITS, type Outcome } from "../../protocol/mod.ts";
import { test } from "../../tests/support/test.ts";
import { completionParts } from "./completion_parts.ts";

function completionOf(outcomes: readonly Outcome[], done: boolean): Completion {
  return { worker_id: "w", lease_id: "l", epoch: 1, slot: 2, outcomes, done, gap_ms: 1000 };
}

test("law: the parts together are the completion, and only the last may end the lease", () => {
  const outcome = fc.oneof(fc.string({ unit: "binary" }), fc.constant("x".repeat(LIMITS.apiBodyBytes / 10)))
    .map((reason): Outcome => ({ target_id: "t", status: "deferred", requests: 0, reason }));
  const outcomes = fc.array(outcome, { maxLength: 6 });
  fc.assert(
    fc.property(outcomes, fc.boolean(), (all, done) => {
      const parts = completionParts(completionOf(all, done)).map((text) => JSON.parse(text) as Completion);
      assert.deepEqual(parts.flatMap((part) => part.outcomes), JSON.parse(JSON.stringify(all)));
      assert.deepEqual(parts.map((part) => part.done), parts.map((_, i) => done && i === parts.length - 1));
      for (const { outcomes: _, done: __, ...head } of parts) {
        const { outcomes: ___, done: ____, ...whole } = completionOf([], false);
        assert.deepEqual(head, whole);
      }
    }),
    { numRuns: 30 },
  );
});

test("parts stay below the limits of a request", () => {
  const page = (text: string): Outcome => ({ target_id: "t", status: "excluded", requests: 0, reason: text });
  const many = completionParts(completionOf(Array.from({ length: 1000 }, () => page("")), true));
  assert.equal(many.length, Math.ceil(1000 / LIMITS.outcomesPerCompletion));
  const wide = completionParts(completionOf(Array.from({ length: 20 }, () => page("€".repeat(1_000_000))), true));
  assert.ok(wide.length > 1);
  for (const part of wide) assert.ok(new TextEncoder().encode(part).length < LIMITS.apiBodyBytes);
});

test("an empty completion is one part", () => {
  assert.deepEqual(JSON.parse(completionParts(completionOf([], true))[0]!), completionOf([], true));
});
