/**
 * The HTTP head that is stored before a payload. The archive keeps the content-coding and drops the transfer-coding,
 * so the fields that described the transfer would lie to a reader: they are kept under `X-Crawler-`, as Common Crawl
 * does, and Content-Length says what is really there.
 * Invariant: the head is exactly one status line, one line a field, one empty line; no value can add a line.
 */

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  /** "1.0", "1.1" or "2". */
  readonly httpVersion: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const MASK = "X-Crawler-";
const CRLF = "\r\n";

const encoder = new TextEncoder();

/** Latin-1 bytes; a character outside it (a caller's mistake) becomes `?`. */
export function latin1(text: string): Uint8Array {
  const utf8 = encoder.encode(text);
  // ASCII is the same in both, and the platform's encoder is the quicker.
  if (utf8.length === text.length) return utf8;
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    bytes[i] = unit < 256 ? unit : 0x3f;
  }
  return bytes;
}

// Looked for first: most heads are clean, and a test is the cheaper.
const BREAK = /[\0\r\n]/;
const BREAKS = new RegExp(BREAK, "g");
const NOT_TOKEN = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/;
const NOT_TOKENS = new RegExp(NOT_TOKEN, "g");

/** Characters that end a line or a string for some reader become spaces (RFC 9110 5.5). */
const oneLine = (text: string) => BREAK.test(text) ? text.replace(BREAKS, " ") : text;

/** A field name is a token (RFC 9110 5.1); anything else in it becomes `_`. */
const fieldName = (name: string) => (NOT_TOKEN.test(name) ? name.replace(NOT_TOKENS, "_") : name) || "_";

/** HTTP/2 has no textual status line: readers get the HTTP/1.1 form, and WARC-Protocol says what was spoken. */
function statusLine(head: ResponseHead): string {
  const version = head.httpVersion === "1.0" ? "1.0" : "1.1";
  return `HTTP/${version} ${String(head.status).padStart(3, "0")} ${oneLine(head.reason)}`;
}

/**
 * The stored head for a payload of `payloadBytes`. Order, case and repeats of the fields are as received.
 * Transfer-Encoding is masked and, as the framing that it gave is gone, Content-Length stands in for it; a
 * Content-Length that isn't the payload's is masked, and the right one follows it.
 */
export function storedHead(head: ResponseHead, payloadBytes: number): Uint8Array {
  const length = String(payloadBytes);
  let text = statusLine(head) + CRLF;
  let stated = head.headers.some(([name, value]) => isLength(name) && value.trim() === length);
  let kept = false;
  for (const [name, value] of head.headers) {
    const field = `${fieldName(name)}: ${oneLine(value)}${CRLF}`;
    if (!isLength(name) && !isTransferCoding(name)) text += field;
    else if (isLength(name) && value.trim() === length && !kept) {
      text += field;
      kept = true;
    } else {
      text += MASK + field;
      if (!stated) text += `Content-Length: ${length}${CRLF}`;
      stated = true;
    }
  }
  return latin1(text + CRLF);
}

function isLength(name: string): boolean {
  return name.length === 14 && name.toLowerCase() === "content-length";
}

function isTransferCoding(name: string): boolean {
  return name.length === 17 && name.toLowerCase() === "transfer-encoding";
}
