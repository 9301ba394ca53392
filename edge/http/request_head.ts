/**
 * The head of a GET as it goes over the wire (RFC 9112 3).
 * Invariant: a head is one request and no more: nothing of the caller's ends a line, and what frames a message or
 * rules the connection is written here alone.
 */

import { Buffer } from "node:buffer";

type Fields = readonly (readonly [name: string, value: string])[];

/** RFC 9110 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 5.5, tab and obs-text included. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Asked of the server with a body, an upgrade or a connection of its own: this client offers none of them. */
const OURS = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
]);
/** Length of the longest and shortest of them: most names need no look-up. */
const LONGEST = 17;
const SHORTEST = 4;

/** Half a sentence on why a field can't be sent; undefined when it can. */
function fault(name: string, value: string): string | undefined {
  if (!TOKEN.test(name)) return `the header name ${JSON.stringify(name.slice(0, 80))} is no token`;
  if (!VALUE.test(value)) return `the header ${name} holds a character that HTTP can't carry`;
  if (name.length < SHORTEST || name.length > LONGEST || !OURS.has(name.toLowerCase())) return undefined;
  return `the header ${name} is the client's own to send`;
}

/** Why these fields can't be sent; undefined when they can. */
export function fieldsFault(fields: Fields): string | undefined {
  for (const [name, value] of fields) {
    const found = fault(name, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const UTF8 = new TextEncoder();

/** A head is ASCII unless a caller's header is not: then its characters are bytes (RFC 9110 5.5). */
function latin1Bytes(head: string): Uint8Array {
  const bytes = UTF8.encode(head);
  return bytes.length === head.length ? bytes : new Uint8Array(Buffer.from(head, "latin1"));
}

/** The head's bytes with its empty line. `host` is the URL's, with its port; `fields` have passed `fieldsFault`. */
export function requestHead(host: string, path: string, fields: Fields): Uint8Array {
  let head = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const [name, value] of fields) head += `${name}: ${value}\r\n`;
  return latin1Bytes(head + "\r\n");
}
