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

const STATUS_LINE = /^HTTP\/([0-2])\.(\d) ([1-9]\d\d)(?: (.*))?$/;
/** Fifteen digits are exact in a double. */
const LENGTH = /^\d{1,15}$/;
const KEEP_ALIVE = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/i;

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const DELETE = 127;

/** 1 for the characters of a token (RFC 9110 5.6.2). */
const TOKEN = Uint8Array.from(
  { length: 256 },
  (_, code) => /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** What may stand in a value or a reason phrase (RFC 9110 5.5). */
function isText(code: number): boolean {
  return (code >= SPACE && code !== DELETE) || code === TAB;
}

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

/** Notes a field that frames the message or rules the connection. */
function direct(directives: Directives, name: string, value: string): void {
  const length = name.length;
  if (length !== 10 && length !== 14 && length !== 17) return;
  const lower = name.toLowerCase();
  if (lower === "content-length") {
    directives.length = directives.length === undefined ? value : `${directives.length},${value}`;
  } else if (lower === "transfer-encoding") {
    directives.coding = directives.coding === undefined ? value : `${directives.coding},${value}`;
  } else if (lower === "connection") directives.connection += `,${value}`;
  else if (lower === "keep-alive") directives.keepAlive += `,${value}`;
}

type Pairs = [name: string, value: string][];

/** The index of what ends the text that begins at `from`: CR or LF, or a character that has no place in a head. */
function textEnd(text: string, from: number): number {
  let at = from;
  while (isText(text.charCodeAt(at))) at++;
  return at;
}

/** The index behind the line end at `at`, or -1 when none is there. LF alone is one, but a careless one. */
function behindLineEnd(text: string, at: number, directives: Directives): number {
  const code = text.charCodeAt(at);
  if (code === CR && text.charCodeAt(at + 1) === LF) return at + 2;
  if (code !== LF) return -1;
  directives.careless = true;
  return at + 1;
}

/** The fields of `text` from `from` on, to the empty line. */
function parseFields(text: string, from: number, directives: Directives): Pairs | Fault {
  const pairs: Pairs = [];
  for (let at = from;;) {
    const first = text.charCodeAt(at);
    let colon = at;
    while (TOKEN[text.charCodeAt(colon)] === 1) colon++;
    if (colon === at && behindLineEnd(text, at, directives) > 0) return pairs;
    const folded = first === SPACE || first === TAB;
    if (!folded && (colon === at || text.charCodeAt(colon) !== COLON)) return nameFault(text, at);
    let start = folded ? at : colon + 1;
    while (text.charCodeAt(start) === SPACE || text.charCodeAt(start) === TAB) start++;
    const end = textEnd(text, start);
    const next = behindLineEnd(text, end, directives);
    if (next < 0) return protocol("a control character in the response head");
    const value = text.slice(start, end);
    if (folded) {
      const fault = fold(pairs, value, directives);
      if (fault) return fault;
    } else {
      const name = text.slice(at, colon);
      if (pairs.push([name, value]) > MAX_FIELDS) {
        return { failure: "header_too_large", found: `more than ${MAX_FIELDS} header fields` };
      }
      direct(directives, name, value);
    }
    at = next;
  }
}

function nameFault(text: string, at: number): Fault {
  const line = text.slice(at, textEnd(text, at));
  const colon = line.indexOf(":");
  if (colon < 0) return protocol(`a header line without a colon: ${excerpt(line)}`);
  return protocol(`a header name that is no token: ${excerpt(line.slice(0, colon))}`);
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
  // "identity" was a coding once (RFC 2616 3.6) that does nothing.
  const codings = coding === undefined ? [] : tokens(coding).filter((one) => one !== "identity");
  const isChunked = codings[codings.length - 1] === "chunked";
  if (codings.length > 0 && length !== undefined) {
    if (!isChunked) return protocol("both Transfer-Encoding and Content-Length");
    // Chunks say where they end: browsers read them, and RFC 9112 6.3 lets them win. Nothing follows on the connection.
    directives.careless = true;
    return { framing: status < 200 || status === 204 || status === 304 ? "none" : "chunked", bodyBytes: 0 };
  }
  let bodyBytes = 0;
  if (length !== undefined && LENGTH.test(length)) bodyBytes = Number(length);
  else if (length !== undefined) {
    directives.careless = true;
    const stated = length.split(",").map((one) => one.trim());
    if (!stated.every((one) => LENGTH.test(one))) return protocol(`a Content-Length of ${excerpt(length)}`);
    bodyBytes = Number(stated[0]);
    if (stated.some((one) => Number(one) !== bodyBytes)) return protocol(`two lengths: ${excerpt(length)}`);
  }
  if (status < 200 || status === 204 || status === 304) return { framing: "none", bodyBytes };
  if (codings.length > 0) {
    // Said twice it is still done once: no server does it twice, and every client undoes it once.
    if (codings.filter((one) => one === "chunked").length > 1) directives.careless = true;
    return { framing: isChunked ? "chunked" : "close", bodyBytes };
  }
  if (coding !== undefined) directives.careless = true;
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
  const directives: Directives = {
    length: undefined,
    coding: undefined,
    connection: "",
    keepAlive: "",
    careless: false,
  };
  const end = textEnd(text, 0);
  const match = STATUS_LINE.exec(text.slice(0, end));
  if (!match) return notHttp(text);
  const next = behindLineEnd(text, end, directives);
  if (next < 0) return protocol("a control character in the status line");
  const headers = parseFields(text, next, directives);
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

/** What is told of a server that speaks something else. */
export function notHttp(text: string): Fault {
  return protocol(`no HTTP status line but ${excerpt(text)}`);
}
