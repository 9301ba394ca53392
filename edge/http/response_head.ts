/**
 * Parses the head of a response (RFC 9112 4 and 5) and decides how its body ends (RFC 9112 6.3).
 * Invariant: fields keep their order, case, repeats and bytes (latin-1). A head that two readers could frame in two
 * ways is refused; one that is only spelt carelessly is read, and its connection isn't kept.
 */

/** Why a response can't be read. `found` is half a sentence. */
export interface Fault {
  readonly failure: "protocol" | "header_too_large";
  readonly found: string;
}

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** "1.1", as the status line says. */
  readonly httpVersion: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** How the body ends; `length` is in `bodyBytes`. */
  readonly framing: "none" | "length" | "chunked" | "close";
  readonly bodyBytes: number;
  /** Another request may follow on the connection, once the body has ended. */
  readonly persistent: boolean;
  /** How long the server keeps the connection, if it says so. */
  readonly keepAliveMs?: number;
}

/** Most fields of one head. */
const MAX_FIELDS = 2000;

const STATUS_LINE = /^HTTP\/(\d)\.(\d) ([1-9]\d\d)(?: ([^\r\n]*))?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Controls that no part of a head may hold, and CR that ends no line (RFC 9112 2.2). */
const FORBIDDEN = /[^\t\n\r\x20-\x7e\x80-\xff]|\r(?!\n)/;
/** Fifteen digits are exact in a double. */
const LENGTH = /^\d{1,15}$/;
const KEEP_ALIVE = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/i;

const CR = 13;
const SPACE = 32;
const TAB = 9;

/** What the fields say about framing and the connection; gathered as they are parsed. */
interface Directives {
  length: string | undefined;
  coding: string | undefined;
  connection: string;
  keepAlive: string;
  /** Spelt in a way that others may read differently. */
  careless: boolean;
}

function protocol(found: string): Fault {
  return { failure: "protocol", found };
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/** Index behind the last character of the line that the LF at `lf` ends. */
function lineEnd(text: string, lf: number): number {
  return text.charCodeAt(lf - 1) === CR ? lf - 1 : lf;
}

/** Notes a field that frames the message or rules the connection. */
function direct(directives: Directives, name: string, value: string): void {
  const length = name.length;
  if (length !== 10 && length !== 14 && length !== 17) return;
  const lower = name.toLowerCase();
  if (lower === "content-length") {
    if (directives.length !== undefined) directives.careless = true;
    directives.length = directives.length === undefined ? value : `${directives.length},${value}`;
  } else if (lower === "transfer-encoding") {
    directives.coding = directives.coding === undefined ? value : `${directives.coding},${value}`;
  } else if (lower === "connection") directives.connection += `,${value}`;
  else if (lower === "keep-alive") directives.keepAlive += `,${value}`;
}

type Pairs = [name: string, value: string][];

/** The fields of `text` from `from` on; `text` ends with the empty line. */
function parseFields(text: string, from: number, directives: Directives): Pairs | Fault {
  const pairs: Pairs = [];
  for (let at = from; at < text.length;) {
    const lf = text.indexOf("\n", at);
    const end = lineEnd(text, lf);
    if (end === lf) directives.careless = true;
    if (end === at) break;
    const first = text.charCodeAt(at);
    if (first === SPACE || first === TAB) {
      const fault = fold(pairs, text.slice(at, end).trim(), directives);
      if (fault) return fault;
    } else {
      const colon = text.indexOf(":", at);
      if (colon < 0 || colon >= end) return protocol(`a header line without a colon: ${excerpt(text.slice(at, end))}`);
      const name = text.slice(at, colon);
      if (!TOKEN.test(name)) return protocol(`a header name that is no token: ${excerpt(name)}`);
      let start = colon + 1;
      while (start < end && (text.charCodeAt(start) === SPACE || text.charCodeAt(start) === TAB)) start++;
      const value = text.slice(start, end);
      if (pairs.push([name, value]) > MAX_FIELDS) {
        return { failure: "header_too_large", found: `more than ${MAX_FIELDS} header fields` };
      }
      direct(directives, name, value);
    }
    at = lf + 1;
  }
  return pairs;
}

/** A folded line goes on with the value before it, joined by one space (RFC 9112 5.2). */
function fold(pairs: Pairs, rest: string, directives: Directives): Fault | undefined {
  const last = pairs[pairs.length - 1];
  if (!last) return protocol("white space before the first header field");
  if (/^(content-length|transfer-encoding)$/i.test(last[0])) return protocol(`a folded ${last[0]} field`);
  directives.careless = true;
  last[1] = `${last[1].trimEnd()} ${rest}`;
  return undefined;
}

function tokens(list: string): string[] {
  return list.toLowerCase().split(",").map((one) => one.trim()).filter((one) => one !== "");
}

/** How the body ends, by RFC 9112 6.3, refusing what request smuggling lives on (6.1, 11.2). */
function framingOf(status: number, directives: Directives): Pick<ResponseHead, "framing" | "bodyBytes"> | Fault {
  const { length, coding } = directives;
  if (coding !== undefined && length !== undefined) return protocol("both Transfer-Encoding and Content-Length");
  let bodyBytes = 0;
  if (length !== undefined) {
    const stated = length.split(",").map((one) => one.trim());
    if (!stated.every((one) => LENGTH.test(one))) return protocol(`a Content-Length of ${excerpt(length)}`);
    bodyBytes = Number(stated[0]);
    if (stated.some((one) => Number(one) !== bodyBytes)) return protocol(`two lengths: ${excerpt(length)}`);
  }
  if (status < 200 || status === 204 || status === 304) return { framing: "none", bodyBytes };
  if (coding !== undefined) {
    const codings = tokens(coding);
    const chunkedAt = codings.indexOf("chunked");
    if (chunkedAt !== codings.lastIndexOf("chunked")) return protocol("a body that is chunked twice");
    return { framing: chunkedAt >= 0 && chunkedAt === codings.length - 1 ? "chunked" : "close", bodyBytes };
  }
  return { framing: length === undefined ? "close" : "length", bodyBytes };
}

function persists(version: string, framed: Pick<ResponseHead, "framing" | "bodyBytes">, directives: Directives) {
  if (framed.framing === "close" || directives.careless || directives.connection.length > 1024) return false;
  // A body that must not be there may be sent all the same.
  if (framed.framing === "none" && (framed.bodyBytes > 0 || directives.coding !== undefined)) return false;
  if (directives.connection === "") return version === "1.1";
  const said = tokens(directives.connection);
  if (said.includes("close")) return false;
  if (version === "1.1") return true;
  // RFC 9112 6.1: chunks in HTTP/1.0 come from a confused server.
  return version === "1.0" && said.includes("keep-alive") && directives.coding === undefined;
}

/** The head in `text`, which ends with its empty line; or why there is none. */
export function parseResponseHead(text: string): ResponseHead | Fault {
  const lf = text.indexOf("\n");
  const line = text.slice(0, lineEnd(text, lf));
  const match = STATUS_LINE.exec(line);
  if (!match) return protocol(`no HTTP status line but ${excerpt(line)}`);
  if (FORBIDDEN.test(text)) return protocol("a control character in the response head");
  const directives: Directives = {
    length: undefined,
    coding: undefined,
    connection: "",
    keepAlive: "",
    careless: text.charCodeAt(lf - 1) !== CR,
  };
  const headers = parseFields(text, lf + 1, directives);
  if (!Array.isArray(headers)) return headers;
  const status = Number(match[3]);
  const framed = framingOf(status, directives);
  if ("failure" in framed) return framed;
  const httpVersion = `${match[1]}.${match[2]}`;
  const { framing, bodyBytes } = framed;
  const persistent = persists(httpVersion, framed, directives);
  const reason = match[4] ?? "";
  const head: ResponseHead = { status, reason, httpVersion, headers, framing, bodyBytes, persistent };
  const seconds = directives.keepAlive === "" ? undefined : KEEP_ALIVE.exec(directives.keepAlive)?.[1];
  return seconds === undefined ? head : { ...head, keepAliveMs: Number(seconds) * 1000 };
}
