/**
 * Step 2 for one lease: the robots verdict of each origin, from the coordinator's cache or fetched under this lease.
 * Invariant (promise 7): no verdict, no fetch. An expired, unknown or unreachable robots.txt defers a page, it never
 * excludes it and never lets it through.
 */

import { type Lease, type Origin, originOf, type Outcome, type RobotsRef } from "../protocol/mod.ts";
import type { EdgeParts } from "./parts.ts";
import { decide, type RobotsRules } from "./robots/mod.ts";
import { Stopwatch } from "./stopwatch.ts";

export type Verdict =
  | { readonly class: "rules"; readonly rules: RobotsRules }
  | { readonly class: "allow_all" }
  | { readonly class: "unreachable" };

export class LeaseRobots {
  readonly #lease: Lease;
  readonly #parts: EdgeParts;
  readonly #age: Stopwatch;
  /** Verdicts that were fetched under this lease: fresh by definition. */
  readonly #fetched = new Map<Origin, Verdict>();
  readonly #known: Map<Origin, RobotsRef>;

  constructor(lease: Lease, parts: EdgeParts, age: Stopwatch) {
    this.#lease = lease;
    this.#parts = parts;
    this.#age = age;
    this.#known = new Map(lease.robots.map((ref) => [ref.origin, ref]));
  }

  learned(origin: Origin, verdict: Verdict): void {
    this.#fetched.set(origin, verdict);
  }

  /** The outcome of a target that may not be fetched now; undefined when it may. */
  async refusal(url: string, targetId: string, requests: number): Promise<Outcome | undefined> {
    const origin = originOf(url);
    const verdict = this.#fetched.get(origin) ?? await this.#fromCoordinator(origin);
    if (verdict === undefined || verdict.class === "unreachable") {
      const reason = `robots.txt of ${origin} ${
        verdict === undefined ? "is not known or has expired" : "can't be reached"
      }`;
      return { target_id: targetId, status: "deferred", reason, requests };
    }
    if (verdict.class === "allow_all") return undefined;
    const decision = decide(verdict.rules, url);
    if (decision.allowed) return undefined;
    return {
      target_id: targetId,
      status: "excluded",
      reason: `robots: ${decision.rule} (line ${decision.line})`,
      requests,
    };
  }

  async #fromCoordinator(origin: Origin): Promise<Verdict | undefined> {
    const ref = this.#known.get(origin);
    if (!ref || this.#age.elapsedMs() >= ref.expires_in_ms) return undefined;
    if (ref.class === "allow_all") return { class: "allow_all" };
    const rules = await this.#rulesOf(ref.digest ?? "");
    return rules === undefined ? undefined : { class: "rules", rules };
  }

  /** Undefined also when nobody answers: then it is as if they weren't known. */
  async #rulesOf(digest: string): Promise<RobotsRules | undefined> {
    const { crawl, slot, host } = this.#lease;
    try {
      return await this.#parts.rules.get(digest, crawl.product_token, slot);
    } catch (error) {
      this.#parts.log.warn("could not ask for a robots.txt", { host, error: String(error) });
      return undefined;
    }
  }
}
