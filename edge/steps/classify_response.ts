/**
 * Step 3's verdict on an exchange: what its status means for the target.
 * Invariant: total; a redirect's target is an absolute http(s) URL, on every hop and for every kind of target. Pure.
 */

import type { Core } from "../../core-wasm/core.ts";
import type { FailureClass } from "../../protocol/mod.ts";
import type { Clock } from "../../runtime/ports.ts";
import type { Exchange } from "../ports.ts";
import { parseRetryAfter } from "./retry_after.ts";
import { header } from "./scan.ts";

export type ResponseVerdict =
  | { readonly kind: "final" }
  /** `location` is the absolute WHATWG href, fragment included. */
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "unchanged" }
  | {
    readonly kind: "failed";
    readonly failure: FailureClass;
    readonly detail: string;
    readonly retryAfterMs?: number;
  };

export interface ClassifyParts {
  /** Resolves Location. */
  readonly core: Pick<Core, "url">;
  readonly clock: Pick<Clock, "wallMs">;
}

type Answer = Pick<Exchange, "url" | "status" | "reason" | "headers" | "requestHead">;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What `exchange` means. Any status but 304, redirects with a Location, 429 and 5xx is a final answer. */
export function classifyResponse(exchange: Answer, { core, clock }: ClassifyParts): ResponseVerdict {
  const { status } = exchange;
  if (status === 304) return notModified(exchange);
  if (status === 429) return failed(exchange, "http_429", clock);
  if (status === 503) return failed(exchange, "http_503", clock);
  if (status >= 500 && status <= 599) return failed(exchange, "http_5xx", clock);
  const location = REDIRECTS.has(status) ? header(exchange, "location")?.trim() : undefined;
  // A redirect without a target (RFC 9110 15.4 allows it) is a page like any other.
  return location === undefined || location === "" ? { kind: "final" } : redirected(exchange, location, core);
}

function failed(exchange: Answer, failure: FailureClass, clock: ClassifyParts["clock"]): ResponseVerdict {
  const retryAfterMs = parseRetryAfter(header(exchange, "retry-after"), clock.wallMs());
  const asks = retryAfterMs === undefined ? "" : `; its Retry-After asks for ${Math.ceil(retryAfterMs / 1000)} s`;
  return {
    kind: "failed",
    failure,
    detail: `Fetching ${exchange.url} was answered with ${statusLine(exchange)}, a page was wanted${asks}.`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** "503 Service Unavailable", short and printable whatever the server sent. */
function statusLine({ status, reason }: Answer): string {
  return `${status} ${reason.replace(/[^\x20-\x7e]/g, "?").slice(0, 60)}`.trim();
}

/** 304 says something only about what we hold: without a condition in the request there is nothing it could confirm. */
function notModified(exchange: Answer): ResponseVerdict {
  const asked = new TextDecoder("latin1").decode(exchange.requestHead);
  if (/\r\nif-(none-match|modified-since):/i.test(asked)) return { kind: "unchanged" };
  return {
    kind: "failed",
    failure: "protocol",
    detail: `Fetching ${exchange.url} was answered with 304 though the request had no condition; a page was wanted.`,
  };
}

function redirected(exchange: Answer, location: string, core: ClassifyParts["core"]): ResponseVerdict {
  const facts = core.url(fromBytes(location), exchange.url);
  if (!("error" in facts) && /^https?:/.test(facts.url)) return { kind: "redirect", location: facts.url };
  const found = "error" in facts ? facts.error : `its scheme is ${facts.url.split(":", 1)[0]}`;
  return {
    kind: "failed",
    failure: "redirect_refused",
    detail: `Following the redirect of ${exchange.url} was refused: ${found}; an http or https URL was wanted.`,
  };
}

/** Field values are bytes; servers put UTF-8 into Location, and browsers read it so. Else they stay latin-1. */
function fromBytes(value: string): string {
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(value, (char) => char.charCodeAt(0)));
  } catch {
    return value;
  }
}
