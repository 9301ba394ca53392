/**
 * Request heads from a byte stream (RFC 9112): the synthetic web reads GET and HEAD, without bodies.
 * Invariant: bounded; a head that isn't HTTP is `malformed`, never an exception.
 */

export interface WebRequest {
  readonly method: string;
  readonly target: string;
  /** The Host header, or the authority of an absolute target. */
  readonly authority: string;
  readonly userAgent: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch?: string;
  readonly ifModifiedSince?: string;
  /** The client asks for the connection to be closed, or speaks HTTP/1.0. */
  readonly close: boolean;
}

export const HEAD_BYTES = 64 * 1024;

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.([01])$/;

/** A head without its final empty line, as latin-1 text. */
export function parseHead(head: string): WebRequest | undefined {
  const lines = head.split("\r\n");
  const line = REQUEST_LINE.exec(lines[0]!);
  if (!line) return undefined;
  const [, method = "", target = "", minor] = line;
  const fields: Record<string, string> = {};
  for (let i = 1; i < lines.length; i++) {
    const text = lines[i]!;
    const colon = text.indexOf(":");
    if (colon < 1) return undefined;
    fields[text.slice(0, colon).toLowerCase()] = text.slice(colon + 1).trim();
  }
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(target);
  return {
    method,
    target,
    authority: absolute?.[1] ?? fields.host ?? "",
    userAgent: fields["user-agent"] ?? "",
    acceptEncoding: fields["accept-encoding"] ?? "",
    ...(fields["if-none-match"] === undefined ? {} : { ifNoneMatch: fields["if-none-match"] }),
    ...(fields["if-modified-since"] === undefined ? {} : { ifModifiedSince: fields["if-modified-since"] }),
    close: minor === "0" || /\bclose\b/i.test(fields.connection ?? ""),
  };
}

/** Cuts a stream into heads. */
export class HeadReader {
  #rest = "";

  push(latin1: string): void {
    this.#rest = this.#rest === "" ? latin1 : this.#rest + latin1;
  }

  /** The next request; undefined when more bytes are wanted. */
  next(): WebRequest | "malformed" | undefined {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end < 0) return this.#rest.length > HEAD_BYTES ? "malformed" : undefined;
    const head = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 4);
    return parseHead(head) ?? "malformed";
  }
}
