/**
 * The request headers of a target, in the order in which they are sent.
 * Invariant: every value can stand in an HTTP field (RFC 9110 5.5), whatever a server or an operator gave us; nothing
 * that identifies a user or another site is sent.
 */

import type { Target } from "../../protocol/mod.ts";
import { formatHttpDate, parseHttpDate, parseIsoInstant } from "./http_date.ts";

/** Who asks. */
export interface Asker {
  readonly userAgent: string;
  readonly contact?: string | undefined;
}

/** What the headers of one request depend on. */
type Asked = Pick<Target, "kind" | "etag" | "last_modified">;

type Headers = readonly (readonly [name: string, value: string])[];

const ACCEPT = {
  page: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  robots: "text/plain,*/*;q=0.8",
  sitemap: "application/xml,text/xml,text/plain;q=0.9,*/*;q=0.8",
} as const;

const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/** What can't stand in a field value becomes `?`; blanks at the ends go. */
function fieldValue(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?").trim();
}

/** The agent with its contact, so that whoever finds it in a log can write to us. */
function agentOf(userAgent: string, contact: string | undefined): string {
  return fieldValue(contact === undefined || userAgent.includes(contact) ? userAgent : `${userAgent} (+${contact})`);
}

/** RFC 9110 8.8.3, as strict as caches are: anything else could be read as a list or as `*`. */
const ENTITY_TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** If-Modified-Since must be an HTTP date (RFC 9110 13.1.3), however the date was kept. */
function httpDate(lastModified: string): string | undefined {
  const ms = parseHttpDate(lastModified, 0) ?? parseIsoInstant(lastModified);
  return ms === undefined ? undefined : formatHttpDate(ms);
}

/** The headers of one asker's requests: what they have in common is built once. */
export class RequestHeaders {
  readonly #agent: string;
  readonly #plain = new Map<Target["kind"], Headers>();

  constructor({ userAgent, contact }: Asker) {
    this.#agent = agentOf(userAgent, contact);
  }

  /** Name-value pairs, Host excluded. Conditional where the target has validators of an earlier capture. */
  of(target: Asked): Headers {
    let plain = this.#plain.get(target.kind);
    if (plain === undefined) this.#plain.set(target.kind, plain = this.#unconditional(target.kind));
    const conditions = target.etag === undefined && target.last_modified === undefined ? [] : conditionsOf(target);
    return conditions.length === 0 ? plain : [...plain, ...conditions];
  }

  #unconditional(kind: Target["kind"]): Headers {
    return [["User-Agent", this.#agent], ["Accept", ACCEPT[kind]], ["Accept-Encoding", ACCEPT_ENCODING]];
  }
}

function conditionsOf(target: Asked): Headers {
  const headers: [string, string][] = [];
  const etag = target.etag?.trim();
  if (etag !== undefined && ENTITY_TAG.test(etag)) headers.push(["If-None-Match", etag]);
  const since = target.last_modified === undefined ? undefined : httpDate(target.last_modified);
  if (since !== undefined) headers.push(["If-Modified-Since", since]);
  return headers;
}
