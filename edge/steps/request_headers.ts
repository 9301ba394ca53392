/**
 * The request headers of a target, in the order in which they are sent.
 * Invariant: every value can stand in an HTTP field (RFC 9110 5.5), whatever a server or an operator gave us; nothing
 * that identifies a user or another site is sent.
 */

import type { Target } from "../../protocol/mod.ts";
import { formatHttpDate, parseHttpDate, parseIsoInstant } from "./http_date.ts";

export interface RequestHeadersOf {
  readonly userAgent: string;
  readonly contact?: string | undefined;
  readonly target: Pick<Target, "kind" | "etag" | "last_modified">;
}

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

/** Name-value pairs, Host excluded. Conditional where the target has validators of an earlier capture. */
export function requestHeaders({ userAgent, contact, target }: RequestHeadersOf): [name: string, value: string][] {
  const headers: [string, string][] = [
    ["User-Agent", agentOf(userAgent, contact)],
    ["Accept", ACCEPT[target.kind]],
    ["Accept-Encoding", ACCEPT_ENCODING],
  ];
  const etag = target.etag?.trim();
  if (etag !== undefined && ENTITY_TAG.test(etag)) headers.push(["If-None-Match", etag]);
  const since = target.last_modified === undefined ? undefined : httpDate(target.last_modified);
  if (since !== undefined) headers.push(["If-Modified-Since", since]);
  return headers;
}
