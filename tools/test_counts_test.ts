import assert from "node:assert/strict";
import { test } from "../tests/support/test.ts";
import { countBun, countDeno, sum } from "./test_counts.ts";

test("test counts: Deno's closing line", () => {
  assert.deepEqual(countDeno("x ... ok (1ms)\n\nok | 31 passed (4 steps) | 0 failed | 2 ignored (12s)\n\n"), {
    passed: 31,
    failed: 0,
    skipped: 2,
  });
  assert.deepEqual(countDeno("FAILED | 7 passed | 2 failed (17ms)\n"), { passed: 7, failed: 2, skipped: 0 });
  assert.deepEqual(countDeno("error: Module not found\n"), { passed: 0, failed: 0, skipped: 0 });
});

test("test counts: Bun's closing lines", () => {
  assert.deepEqual(countBun(" 12 pass\n 3 skip\n 1 fail\n 1 error\nRan 16 tests across 2 files.\n"), {
    passed: 12,
    failed: 2,
    skipped: 3,
  });
});

test("test counts: both together", () => {
  assert.deepEqual(sum([{ passed: 1, failed: 0, skipped: 2 }, { passed: 3, failed: 1, skipped: 0 }]), {
    passed: 4,
    failed: 1,
    skipped: 2,
  });
});
