/**
 * `outrider scan`: one page, what the core makes of it.
 * Invariant: total; any line gets an answer or `{"error"}`.
 */

import { declaredCharset } from "../core-wasm/charset.ts";
import type { Core, PageLink } from "../core-wasm/core.ts";

export interface ScanAnswer {
  readonly links: readonly PageLink[];
  readonly base: string;
  readonly title: string;
  /** WHATWG encoding name, lower case. */
  readonly charset: string;
  readonly canonical: string | null;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  /** 16 hex digits. */
  readonly simhash: string;
  /** Bytes of visible text. */
  readonly text_length: number;
  readonly truncated: boolean;
}

export interface ScanRefusal {
  /** A sentence. */
  readonly error: string;
}

const WANTED = '{"html" or "html_base64", "url", "content_type"?, "embeds"?, "forms"?}';
/** The name that this crawler listens to in `<meta name>`. */
const PRODUCT_TOKEN = "outrider";

const encoder = new TextEncoder();

function refused(found: string): ScanRefusal {
  return { error: `Reading a page to scan: found ${found}, wanted ${WANTED}.` };
}

/** Text is characters already: it is written in the charset that it declares, so that the scan reads the same ones. */
function bytesOfText(core: Core, html: string, contentType: string | undefined): Uint8Array {
  const utf8 = encoder.encode(html);
  const charset = declaredCharset(utf8, contentType)?.name;
  return charset === undefined ? utf8 : core.encode(html, charset);
}

function bodyOf(
  core: Core,
  question: Record<string, unknown>,
  contentType: string | undefined,
): Uint8Array | undefined {
  if (typeof question.html === "string") return bytesOfText(core, question.html, contentType);
  if (typeof question.html_base64 !== "string") return undefined;
  try {
    return Uint8Array.from(atob(question.html_base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function isOptional<T>(value: unknown, type: "string" | "boolean"): value is T | undefined {
  return value === undefined || typeof value === type;
}

/** Answers `{"html"|"html_base64", "url", "content_type"?, "embeds"?, "forms"?}`. */
export function answerScan(core: Core, line: unknown): ScanAnswer | ScanRefusal {
  if (typeof line !== "object" || line === null || Array.isArray(line)) return refused("JSON that isn't an object");
  const question = line as Record<string, unknown>;
  const { content_type: contentType, embeds, forms } = question;
  if (!isOptional<string>(contentType, "string")) return refused('a "content_type" that is no string');
  if (!isOptional<boolean>(embeds, "boolean")) return refused('an "embeds" that is neither true nor false');
  if (!isOptional<boolean>(forms, "boolean")) return refused('a "forms" that is neither true nor false');
  const body = bodyOf(core, question, contentType);
  if (body === undefined) return refused('neither "html" (text) nor "html_base64" (base64)');
  if (typeof question.url !== "string") return refused('a "url" that is no string');
  const page = core.url(question.url);
  if ("error" in page) return { error: page.error };
  const facts = core.scan(body, {
    url: page.url,
    productToken: PRODUCT_TOKEN,
    ...(contentType === undefined ? {} : { contentType }),
    ...(embeds === undefined ? {} : { embeds }),
    ...(forms === undefined ? {} : { forms }),
  });
  return {
    links: facts.links,
    base: facts.base,
    title: facts.title,
    charset: facts.charset,
    canonical: facts.canonical ?? null,
    noindex: facts.noindex,
    nofollow: facts.nofollow,
    simhash: facts.simhash.toString(16).padStart(16, "0"),
    text_length: facts.textLength,
    truncated: facts.truncated,
  };
}
