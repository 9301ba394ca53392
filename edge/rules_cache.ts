/**
 * Parsed robots.txt rules by digest and product token, so that a body crosses the wire and is parsed once.
 * Invariant: bounded; the least recently used goes first.
 */

import type { FrontierVerbs } from "../protocol/mod.ts";
import { parseRobots, type RobotsRules } from "./robots/mod.ts";

const CAPACITY = 2_000;

export class RulesCache {
  readonly #frontier: FrontierVerbs;
  readonly #rules = new Map<string, RobotsRules>();

  constructor(frontier: FrontierVerbs) {
    this.#frontier = frontier;
  }

  /** The rules with this digest, or undefined when neither we nor the coordinator of `slot` have them any more. */
  async get(digest: string, productToken: string, slot: number): Promise<RobotsRules | undefined> {
    const key = `${productToken} ${digest}`;
    const known = this.#rules.get(key);
    if (known) {
      this.#rules.delete(key);
      this.#rules.set(key, known);
      return known;
    }
    const body = await this.#frontier.robotsBody({ digest, slot });
    return body === undefined ? undefined : this.put(digest, productToken, body);
  }

  put(digest: string, productToken: string, body: string): RobotsRules {
    const rules = parseRobots(body, productToken);
    this.#rules.set(`${productToken} ${digest}`, rules);
    if (this.#rules.size > CAPACITY) this.#rules.delete(this.#rules.keys().next().value!);
    return rules;
  }
}
