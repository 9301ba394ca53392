/**
 * The API as an operator of the tests' fleets calls it.
 * Invariant: an answer that is no success is an error that tells it.
 */

import assert from "node:assert/strict";

/** The operator's token. */
export const OPERATOR = "op-secret";

export type Answer = Record<string, unknown>;

export interface AskOptions {
  readonly body?: unknown;
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  readonly signal?: AbortSignal;
}

export async function ask(base: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const { body, method = body === undefined ? "GET" : "POST", signal } = options;
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json", connection: "close" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = await response.text();
  assert.ok(response.ok, `${path} was answered ${response.status}: ${answer}`);
  return answer === "" ? {} : JSON.parse(answer);
}

/** Asks again and again until an answer is as wanted; it. Throws with the last one when that takes too long. */
export async function answerWhen(
  asking: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
  patienceMs: number,
): Promise<Answer> {
  for (const until = Date.now() + patienceMs;;) {
    const answer = await asking();
    if (isWanted(answer)) return answer;
    if (Date.now() > until) {
      throw new Error(`It didn't come to what was wanted within ${patienceMs} ms: ${JSON.stringify(answer)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const isFinished = ({ state }: Answer): boolean => state === "finished";
