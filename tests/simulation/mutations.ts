/**
 * Deliberately broken builds, each a small change of one file, that the simulator must find (mutate.ts runs them).
 * Invariant: `find` stands exactly once in `file`, or the mutation no longer says what it breaks.
 */

import { CLUSTER_MUTATIONS } from "./cluster_mutations.ts";

export interface Mutation {
  /** What the broken build does, in a few words. */
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** First seed that may find it; absent = 1. */
  readonly from?: number;
}

const FRONTIER = "coordinator/frontier";

/** The control plane's. */
export const COORDINATOR_MUTATIONS: readonly Mutation[] = [
  {
    name: "drops the fence: a lease that is over may still complete",
    file: `${FRONTIER}/shard.ts`,
    find: "    this.leases.delete(lease.leaseId);\n",
    replace: "",
  },
  {
    name: "doesn't persist the epoch",
    file: `${FRONTIER}/host_state.ts`,
    find: "    domain,\n    epoch,\n    nextStartAt,\n",
    replace: "    domain,\n    epoch: 0,\n    nextStartAt,\n",
  },
  {
    name: "forgets a host's delay on restart",
    file: `${FRONTIER}/host_state.ts`,
    find: "return { ...newHost(row), ...row",
    replace: "return { ...newHost(row), ...row, nextStartAt: 0",
  },
  {
    name: "forgets back-off on restart",
    file: `${FRONTIER}/host_state.ts`,
    find: "return { ...newHost(row), ...row",
    replace: "return { ...newHost(row), ...row, backoffMs: 0",
  },
  {
    name: "forgets a host's pause on restart",
    file: `${FRONTIER}/host_state.ts`,
    find: "return { ...newHost(row), ...row",
    replace: "return { ...newHost(row), ...row, paused: false",
  },
  {
    name: "counts accepted outlinks twice",
    file: `${FRONTIER}/accept.ts`,
    find: "counts.accepted += accepted;",
    replace: "counts.accepted += 2 * accepted;",
  },
  {
    name: "takes a filter's word for it that a URL was seen",
    file: `${FRONTIER}/seen/seen_runs.ts`,
    find:
      "for (let i = 0; i < screening.keys.length; i++) if (screening.verdicts[i] === VERDICT.perhaps) open.push(i);",
    replace:
      "screening.verdicts.forEach((one, i) => one === VERDICT.perhaps && (screening.verdicts[i] = VERDICT.seen));",
  },
  {
    name: "never backs off",
    file: `${FRONTIER}/clocks/politeness.ts`,
    find: 'if (backoff === "never") return;',
    replace: 'if (backoff !== "never") return;',
  },
  {
    name: "ignores Retry-After",
    file: `${FRONTIER}/clocks/politeness.ts`,
    find: "return ms === undefined || !(ms > 0) ? 0 :",
    replace: "return ms === undefined || ms > 0 ? 0 :",
  },
  {
    name: "settles a target again when a completion comes twice",
    file: `${FRONTIER}/leases/settle.ts`,
    find: "    this.#lease.pages.delete(row.fingerprint);\n",
    replace: "",
  },
  {
    name: "drops outbox rows",
    file: `${FRONTIER}/batch_builder.ts`,
    find: "outbox: this.#outboxRows(batchSeq),",
    replace: "outbox: [],",
  },
  {
    name: "takes a delivered outbox row in again",
    file: `${FRONTIER}/crawls/enqueue.ts`,
    find: "if (round.receivedBefore.has(nameOfRow(name))) continue;",
    replace: "",
  },
  {
    name: "leases a host while a lease of it is out",
    file: `${FRONTIER}/queues/readiness.ts`,
    find: "if (host.lease !== undefined || ",
    replace: "if (",
  },
  {
    name: "ignores a host's pause",
    file: `${FRONTIER}/queues/readiness.ts`,
    find: "host.paused ||",
    replace: "",
  },
  {
    name: "ignores a crawl's pause",
    file: `${FRONTIER}/crawls/crawl.ts`,
    find: 'return this.row.state === "running";',
    replace: 'return this.row.state !== "finished";',
  },
  {
    name: "doesn't tell crawls apart in the cache of what was seen",
    file: `${FRONTIER}/crawls/crawl.ts`,
    find: "this.salt = { low: Number(hash & 0xffffffffn), high: Number(hash >> 32n) };",
    replace: "this.salt = { low: 0, high: Number(hash) * 0 };",
  },
  {
    name: "answers before it commits",
    file: `${FRONTIER}/writer.ts`,
    find: "    await this.#commit(shard, upkeep);\n",
    replace: "    taken.forEach(({ resolve }, i) => resolve(answers[i]));\n    await this.#commit(shard, upkeep);\n",
  },
  {
    name: "keeps the RAM after a failed commit",
    file: `${FRONTIER}/writer.ts`,
    find: "    if (reason instanceof OwnerLost) return this.#abandon(reason);\n    this.#parts.log.error",
    replace:
      "    if (reason instanceof OwnerLost) return this.#abandon(reason);\n    if (reason) return;\n    this.#parts.log.error",
  },
  {
    name: "ends leases before their time",
    file: `${FRONTIER}/leases/sweep.ts`,
    find: "if (lease.expiresAt <= round.now) expire(round, lease);",
    replace: "if (lease.expiresAt - 60_000 <= round.now) expire(round, lease);",
  },
  {
    name: "loses the URLs of a lease that ends early",
    file: `${FRONTIER}/shard.ts`,
    find: "for (const row of lease.pages.values()) this.enqueueReady(host, row);",
    replace: "",
  },
  {
    name: "forgets leases on restart",
    file: `${FRONTIER}/load.ts`,
    find: "shard.addLease(openLease(shard, row, urls));",
    replace: "openLease(shard, row, urls);",
  },
  {
    name: "takes no account of leased pages in a page limit",
    file: `${FRONTIER}/crawls/crawl.ts`,
    find: "most - sum(this.pages) - sum(this.leased) - sum(this.freed)",
    replace: "most - sum(this.pages)",
  },
  {
    name: "uses a robots.txt for ever",
    file: `${FRONTIER}/robots/robots_ladder.ts`,
    find: 'return row.expiresAt > now ? { kind: "fresh", row } : NEEDED;',
    replace: 'return { kind: "fresh", row: { ...row, expiresAt: now + 86_400_000 } };',
  },
  {
    name: "ignores a Crawl-delay",
    file: `${FRONTIER}/robots/settle_robots.ts`,
    find: "setCrawlDelay(host, outcome.crawl_delay_ms,",
    replace: "setCrawlDelay(host, undefined,",
  },
  {
    name: "finishes a crawl while links are on their way between shards",
    file: `${FRONTIER}/crawls/finish.ts`,
    find:
      '  if (total("accepted") !== total("settled") || total("sent") !== total("received")) return undefined;\n  if (total("outboxRows") > 0) return undefined;\n',
    replace: '  if (total("accepted") !== total("settled")) return undefined;\n',
  },
  {
    name: "doesn't move a host's clock for a permitted request",
    file: `${FRONTIER}/leases/visits.ts`,
    find: "host.nextStartAt = now + waitMs +",
    replace: "if (now < 0) host.nextStartAt = now + waitMs +",
  },
  {
    name: "reads leased URLs into their queue again",
    file: `${FRONTIER}/gather.ts`,
    find: "(fingerprint) => leased?.has(fingerprint) ?? false",
    replace: "(fingerprint) => leased?.has(fingerprint) === undefined",
  },
  {
    name: "ignores an operator's delay",
    file: `${FRONTIER}/clocks/politeness.ts`,
    find: "host.policyDelayMs,",
    replace: "",
  },
];

/** The data plane's. */
export const EDGE_MUTATIONS: readonly Mutation[] = [
  {
    name: "skips the robots check",
    file: "edge/page_target.ts",
    find: "if (refused) return",
    replace: "if (refused && hops.length > 99) return",
  },
  {
    name: "takes a robots.txt that fails for one that allows all",
    file: "edge/robots_target.ts",
    find: 'what.robots.learned(what.origin, { class: "unreachable" });',
    replace: 'what.robots.learned(what.origin, { class: "allow_all" });',
  },
  {
    name: "starts on a stale confirmation",
    file: "edge/lease_hold.ts",
    find: "else if (this.reporter.confirmed.elapsedMs() <= this.#parts.settings.confirmMs) {",
    replace: "else if (this.reporter.confirmed.elapsedMs() <= Infinity) {",
  },
  {
    name: "counts the gap from the start, not from when the server has seen the request",
    file: "edge/pace.ts",
    find: "this.#answeredUntil = Math.max(this.#answeredUntil, this.#lastSeenAt + this.#gapMs);",
    replace: "this.#answeredUntil = Math.max(this.#answeredUntil, this.#underWayUntil);",
  },
  {
    name: "reports the age of its last start as twice what it is",
    file: "edge/reporter.ts",
    find: "last_start_ago_ms: Math.max(0, this.#parts.clock.monotonicMs() - lastSeenAt)",
    replace: "last_start_ago_ms: Math.max(0, 2 * (500 + this.#parts.clock.monotonicMs() - lastSeenAt))",
  },
  {
    name: "acknowledges outbox rows that it hasn't delivered",
    file: "edge/outbox_delivery.ts",
    find: "await frontier.deliverOutbox({ worker_id, rows });",
    replace: "void frontier.deliverOutbox({ worker_id, rows }).catch(() => {});",
  },
  {
    name: "blames hosts for what its own machine can't reach",
    file: "edge/lease_run.ts",
    find: "if (isOurs !== false && await isOurs) this.#handBack(target, page);",
    replace: "if (isOurs !== false && await isOurs && target.depth < 0) this.#handBack(target, page);",
  },
  {
    name: "reports captures that aren't durable",
    file: "edge/warc/open_file.ts",
    find: "    await file.handle.sync();\n",
    replace: "",
  },
  {
    name: "reports captures whose segment isn't in the store yet",
    file: "edge/capture.ts",
    find: "  await durable;\n",
    replace: "  durable.catch(() => {});\n",
  },
  {
    name: "reports a robots.txt or a redirect before its capture is in the store",
    file: "edge/undurable.ts",
    find: "await Promise.all(this.#waiting);",
    replace: "this.#waiting.clear();",
  },
  {
    name: "refers to captures that were never acknowledged",
    file: "edge/lease_run.ts",
    find: "    this.#hold.reporter.add(outcome, () => {\n      acknowledged?.();\n",
    replace: "    acknowledged?.();\n    [0].forEach(() => {\n      this.#hold.reporter.add(outcome);\n",
  },
];

export const MUTATIONS: readonly Mutation[] = [...EDGE_MUTATIONS, ...COORDINATOR_MUTATIONS, ...CLUSTER_MUTATIONS];
