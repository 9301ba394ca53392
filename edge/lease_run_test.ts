import assert from "node:assert/strict";
import type { Completion, FrontierVerbs, Lease, Outcome, Target } from "../protocol/mod.ts";
import { edgeLease } from "../tests/support/edge_lease.ts";
import { silentLog } from "../tests/support/frontier.ts";
import { test } from "../tests/support/test.ts";
import { VirtualClock } from "../tests/support/virtual_clock.ts";
import { Backlog } from "./backlog.ts";
import { Busy } from "./busy.ts";
import { Health } from "./health/health.ts";
import { runLease } from "./lease_run.ts";
import type { EdgeParts } from "./parts.ts";
import type { Exchange, FetchFailure, FetchRequest, NetworkProbe } from "./ports.ts";
import { Stopwatch } from "./stopwatch.ts";

/** A lease of these paths, each of which ends as its name says; what was told of each, and whether the edge is well. */
async function leasing(paths: readonly string[]) {
  const clock = new VirtualClock();
  const told = new Map<string, Outcome>();
  const fetcher = {
    async fetch({ url, onSent }: FetchRequest): Promise<Exchange | FetchFailure> {
      await clock.sleep(10);
      if (url.includes("early")) throw new TypeError("early is not a function");
      if (url.includes("disk")) throw Object.assign(new TypeError("The disk is full."), { code: "ENOSPC" });
      if (url.includes("memory")) throw new RangeError("Array buffer allocation failed");
      onSent?.();
      const timings = { startedAt: clock.monotonicMs(), totalMs: 10 };
      if (url.includes("gone")) return { ok: false, failure: "protocol", detail: "No HTTP.", sent: true, timings };
      // There is no core that could scan it.
      return {
        ok: true,
        url,
        status: 200,
        headers: [["Content-Type", "text/html"]],
        body: new Uint8Array(1),
        decoded: new Uint8Array(1),
        timings,
      } as unknown as Exchange;
    },
  };
  const targets = paths.map((path): Target => ({
    target_id: path,
    url: `http://a.test/${path}`,
    kind: path === "robots.txt" ? "robots" : "page",
    depth: 0,
    hop: 0,
    not_before_in_ms: 0,
  }));
  const robots = [{ origin: "http://a.test", class: "allow_all", expires_in_ms: 1e6 }] as Lease["robots"];
  const lease = edgeLease({ host: "a.test", gap_ms: 0, robots, targets });
  const complete = ({ outcomes }: Completion) => {
    for (const outcome of outcomes) told.set(outcome.target_id, outcome);
    return Promise.resolve({ status: "ok", accepted: 0 });
  };
  const frontier = { complete, settled: () => Promise.resolve({}) } as unknown as FrontierVerbs;
  const health = new Health({
    clock,
    log: silentLog,
    probe: { resolvedAt: () => -Infinity } as NetworkProbe,
    onTrouble: () => {},
  });
  const settings = { workerId: "w", confirmMs: 60_000, settlingPerLease: 8, fetchLimits: { wallMs: 30_000 } };
  const parts = {
    ...{ clock, frontier, fetcher, log: silentLog, settings, health },
    ...{ backlog: new Backlog(1e6), busy: new Busy(), archive: {}, payloads: { acknowledged: () => {} } },
  } as unknown as EdgeParts;
  const over = runLease(lease, parts, Stopwatch.start(clock), new AbortController().signal);
  await clock.advance(60_000);
  await over;
  return { told, health };
}

function failureOf(outcome: Outcome | undefined): string | undefined {
  return outcome?.status === "failed" ? outcome.failure : outcome?.status;
}

test("a page that brings a fault of ours to light is told as failed, and the lease goes on", async () => {
  const { told, health } = await leasing(["early", "gone", "late", "gone2"]);
  assert.deepEqual(
    ["early", "gone", "late", "gone2"].map((path) => failureOf(told.get(path))),
    ["scan_failed", "protocol", "scan_failed", "protocol"],
  );
  assert.match(
    (told.get("early") as { detail: string }).detail,
    /^Working on http:\/\/a.test\/early failed by a fault of this program: TypeError: early/,
  );
  assert.equal(health.isUnwell, false);
});

test("a robots.txt that brings a fault of ours to light can't be read: nothing of the origin is asked for", async () => {
  const { told, health } = await leasing(["robots.txt", "gone"]);
  const robots = told.get("robots.txt");
  assert.deepEqual([robots?.status, robots?.status === "robots" && robots.class], ["robots", "unreachable"]);
  assert.equal(told.get("gone")?.status, "deferred");
  assert.equal(health.isUnwell, false);
});

test("a full disk and a lack of memory are this machine's trouble: the page goes back", async () => {
  for (const path of ["disk", "memory"]) {
    const { told, health } = await leasing([path, "gone"]);
    assert.deepEqual([told.size, health.isUnwell], [0, true], path);
  }
});

test("faults of ours at page after page are this machine's trouble from the third on", async () => {
  const { told, health } = await leasing(["early1", "early2", "early3", "early4"]);
  assert.deepEqual([...told.keys()], ["early1", "early2"]);
  assert.equal(health.isUnwell, true);
});
