/**
 * Sends requests to an API of tests and reads JSON answers.
 * Invariant: an answer that the OpenAPI document doesn't describe fails the test.
 */

import { createApi } from "../../coordinator/api/api.ts";
import type { ApiParts } from "../../coordinator/api/context.ts";
import { OPERATOR_TOKEN } from "./api_parts.ts";
import { ApiTruth } from "./api_truth.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- JSON whose shape the test asserts
  readonly body: any;
}

export interface AskOptions {
  readonly json?: unknown;
  /** Sent as it is instead of `json`. */
  readonly text?: string;
  /** "" = none. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let truth: Promise<ApiTruth> | undefined;

/** Of the document that every API gives alike. */
async function truthOf(app: ReturnType<typeof createApi>): Promise<ApiTruth> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
  const response = await app.request("http://localhost/openapi.json", { headers });
  return new ApiTruth(await response.json());
}

/** `ask("POST /v1/crawls", {json})` on the app itself, without a socket. */
export function apiClient(parts: ApiParts): (line: string, options?: AskOptions) => Promise<Answer> {
  const app = createApi(parts);
  return async (line, { json, text, token = OPERATOR_TOKEN, headers = {} } = {}) => {
    const [method, path] = line.split(" ") as [string, string];
    const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await app.request(`http://localhost${path}`, {
      method,
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json", "content-length": String(body.length) }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const answered = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(answer) : answer };
    const contentType = response.headers.get("content-type") ?? "";
    const lie = (await (truth ??= truthOf(createApi(parts)))).lie({ method, path, contentType, ...answered });
    if (lie !== undefined) throw new Error(`The OpenAPI document is untrue: ${lie}`);
    return answered;
  };
}
