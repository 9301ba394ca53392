/**
 * A typed client of the API: paths, requests and answers are those of the routes.
 * Invariant: nothing of a coordinator is loaded with it, only its types are used.
 */

import { hc } from "hono/client";
import type { Api } from "./api.ts";

export interface ClientOptions {
  /** Of the role that the calls need; absent where the coordinator asks for none. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

export type OutriderClient = ReturnType<typeof hc<Api>>;

/** `client(url).v1.crawls.$get({query: {}})` and so on; answers are Responses whose `json()` is typed by status. */
export function outriderClient(baseUrl: string, { token, fetch }: ClientOptions = {}): OutriderClient {
  return hc<Api>(baseUrl, {
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch === undefined ? {} : { fetch }),
  });
}

/** What a refused call threw. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** What a call answers when it goes well, as `done` gives it. */
type Good<R> = R extends { readonly status: 200 | 202; json(): Promise<infer Body> } ? Body : never;

/** The body of an answer that went well; throws ApiRefused, with the problem's sentence, for any other. */
export async function done<R extends Pick<Response, "ok" | "status" | "json">>(call: Promise<R>): Promise<Good<R>> {
  const answer = await call;
  const body = await answer.json();
  if (answer.ok) return body as Good<R>;
  throw new ApiRefused(answer.status, (body as { detail: string }).detail);
}
