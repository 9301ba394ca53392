/**
 * Idempotency-Key: a repeated request gets the first answer again.
 * Invariant: the work of one key runs at most once at a time in a process, and its answer is kept before it is given. A crash between
 * the work and the keeping makes the work run again, which the seen-set and the crawl's name make harmless; so does the same
 * key at two coordinators at once: both then give the answer that was kept first.
 */

import type { Context } from "hono";
import type { ApiEnv, ApiParts } from "./context.ts";
import { ApiProblem } from "./problem.ts";

interface Kept<Body> {
  /** SHA-256 of the request's body: a key stands for one request. */
  readonly request: string;
  readonly body: Body;
}

export interface Once {
  /**
   * The body of the answer: of `work`, or of the same request under this key before. Throws a 422 when the key was
   * used for another request. `work` gets a name that is the same whenever the same caller uses the same key.
   */
  run<Body>(context: Context<ApiEnv>, work: (stableName: string | undefined) => Promise<Body>): Promise<Body>;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

export function createOnce({ idempotency, digest, clock }: ApiParts): Once {
  const running = new Map<string, Promise<Kept<unknown>>>();
  const utf8 = new TextEncoder();
  const hash = (text: string) => digest.sha256Hex(utf8.encode(text));

  async function answer<Body>(name: string, request: string, work: () => Promise<Body>): Promise<Kept<unknown>> {
    const kept = await idempotency.idempotent(name, clock.wallMs());
    if (kept !== undefined) return JSON.parse(kept);
    const fresh = { request, body: await work() };
    await idempotency.putIdempotent(name, JSON.stringify(fresh), clock.wallMs());
    const first = await idempotency.idempotent(name, clock.wallMs());
    return first === undefined ? fresh : JSON.parse(first);
  }

  return {
    async run<Body>(context: Context<ApiEnv>, work: (stableName: string | undefined) => Promise<Body>) {
      const key = context.req.header("idempotency-key");
      if (key === undefined) return await work(undefined);
      if (!KEY.test(key)) {
        throw new ApiProblem(400, "The Idempotency-Key isn't one: 1 to 255 visible ASCII characters are wanted.");
      }
      const { role, name: ownName, id } = context.get("caller");
      const callerName = ownName === "" ? id : ownName;
      const name = hash([role, callerName, context.req.method, context.req.path, key].join("\n"));
      const request = hash(await context.req.text());
      let pending = running.get(name);
      if (!pending) {
        pending = answer(name, request, () => work(name)).finally(() => running.delete(name));
        running.set(name, pending);
      }
      const kept = await pending;
      if (kept.request === request) return kept.body as Body;
      throw new ApiProblem(
        422,
        "This Idempotency-Key was used for another request in the last 24 hours: a new key is wanted.",
      );
    },
  };
}
