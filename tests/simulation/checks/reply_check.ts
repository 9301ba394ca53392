/**
 * Watches what the coordinator answers: whatever it acknowledges is durable, and a lease that is over has no say.
 * Invariant: judged at the moment when the answer is given away, before the network does anything to it.
 */

import type {
  Completion,
  CompletionReply,
  HostKey,
  LeaseReply,
  OutboxDelivery,
  Outcome,
} from "../../../protocol/mod.ts";
import { fingerprintFromHex } from "../../../protocol/mod.ts";
import type { Process } from "../machine.ts";
import type { Call } from "../network.ts";
import { OWN_FAULT } from "../web_fetcher.ts";
import type { CommitCheck, KnownLease } from "./commit_check.ts";
import type { ServerCheck } from "./server_check.ts";
import type { Verdict } from "./verdict.ts";

export class ReplyCheck {
  readonly #verdict: Verdict;
  readonly #commits: CommitCheck;
  readonly #server: ServerCheck;
  readonly #isCutOff: (process: Process) => boolean;

  constructor(what: {
    readonly verdict: Verdict;
    readonly commits: CommitCheck;
    readonly server: ServerCheck;
    /** The machine of this process can't reach the web now. */
    readonly isCutOff: (process: Process) => boolean;
  }) {
    this.#verdict = what.verdict;
    this.#commits = what.commits;
    this.#server = what.server;
    this.#isCutOff = what.isCutOff;
  }

  arrived({ verb, request, from }: Call): void {
    if (verb !== "complete") return;
    const { lease_id } = request as Completion;
    this.#eachOutcome(request as Completion, (host, name, outcome) => {
      this.#server.reported(host, name, outcome);
      this.#verdict.expect(
        outcome.status !== "failed" || outcome.detail?.includes(OWN_FAULT) !== true || !this.#isCutOff(from),
        () => `${from.name} blames ${host} for what its own machine can't reach`,
      );
      const isBack = outcome.status === "deferred" || (outcome.status === "failed" && outcome.failure === "aborted");
      if (isBack) this.#commits.handedBack.add(`${lease_id} ${fingerprintFromHex(outcome.target_id)}`);
    });
  }

  replied(call: Call, reply: unknown): void {
    if (call.verb === "lease") this.#leases(reply as LeaseReply);
    if (call.verb === "complete") this.#completed(call, call.request as Completion, reply as CompletionReply);
    if (call.verb === "outbox") this.#delivered(call.request as OutboxDelivery);
  }

  /** The edge has the answer: leases are in its hands now. */
  delivered(call: Call, reply: unknown): void {
    if (call.verb !== "lease") return;
    for (const { lease_id, host } of (reply as LeaseReply).leases) this.#server.holds(call.from, host, lease_id);
  }

  #leases({ leases }: LeaseReply): void {
    for (const { lease_id, epoch, host } of leases) {
      const known = this.#commits.leases.get(lease_id);
      this.#verdict.expect(
        known?.row.epoch === epoch,
        () => `a lease of ${host} (epoch ${epoch}) was handed out that no commit holds`,
      );
    }
  }

  #completed({ arrivedAt }: Call, completion: Completion, { status }: CompletionReply): void {
    if (status !== "ok") return;
    const lease = this.#commits.leases.get(completion.lease_id);
    this.#verdict.expect(
      lease !== undefined && (lease.endedAt === undefined || lease.endedAt >= arrivedAt),
      () => `a completion of lease ${completion.lease_id} was taken though that lease was over`,
    );
    if (lease === undefined) return;
    this.#verdict.expect(
      !completion.done || lease.endedAt !== undefined,
      () => `the end of lease ${completion.lease_id} was acknowledged before it was durable`,
    );
    this.#eachOutcome(completion, (host, name, outcome) => {
      this.#server.acknowledged(host, name, outcome);
      this.#durable(lease, outcome);
    });
  }

  #durable({ row }: KnownLease, outcome: Outcome): void {
    if (!["fetched", "redirected", "excluded"].includes(outcome.status)) return;
    const url = this.#commits.url(row.crawlId, fingerprintFromHex(outcome.target_id)!);
    this.#verdict.expect(
      url !== undefined && url.state !== "ready" && url.state !== "waiting",
      () => `the outcome of ${url?.url} (${outcome.status}) was acknowledged before it was durable`,
    );
  }

  #delivered({ rows }: OutboxDelivery): void {
    for (const { lease_id, seq } of rows) {
      this.#verdict.expect(
        this.#commits.isReceived(`${lease_id} ${seq}`),
        () => `outbox row ${seq} of ${lease_id} was acknowledged before it was durable`,
      );
    }
  }

  #eachOutcome(completion: Completion, visit: (host: HostKey, name: string, outcome: Outcome) => void): void {
    const lease = this.#commits.leases.get(completion.lease_id);
    if (lease === undefined) return;
    for (const outcome of completion.outcomes) {
      visit(lease.row.host, `${completion.lease_id} ${outcome.target_id}`, outcome);
    }
  }
}
