/**
 * DNS messages (RFC 1035 4) for one question: the query's bytes, and what a reply says to it.
 * Invariant: a reply is read only if it answers the very question that was asked; bytes that are no such reply are
 * undefined, whatever they are. Pure: the codec is dns-packet.
 */

import { Buffer } from "node:buffer";
import { isIP } from "node:net";
import { areRecordsWhole } from "./dns_bounds.ts";
import { type Answer, decode, type DecodedPacket, encode, RECURSION_DESIRED, type SoaAnswer } from "dns-packet";

export type AddressType = "A" | "AAAA";

export interface Question {
  readonly id: number;
  /** Canonical: lower case, no dot at the end. */
  readonly name: string;
  readonly type: AddressType;
}

export type Reply =
  | { readonly kind: "addresses"; readonly addresses: readonly string[]; readonly ttlSeconds: number }
  /** `nxdomain`: no such name. `nodata`: the name has no address of this type. The TTL is the zone's (RFC 2308 5). */
  | { readonly kind: "nxdomain" | "nodata"; readonly ttlSeconds: number | undefined }
  /** Doesn't fit into a datagram: to be asked for over TCP (RFC 7766). */
  | { readonly kind: "truncated" }
  /** SERVFAIL, REFUSED and the like: another server may know more. */
  | { readonly kind: "failed"; readonly code: string };

/** What crosses the net without being cut into fragments (RFC 9715). */
const UDP_PAYLOAD_BYTES = 1232;
/** RFC 1035 4.1.1: QR, and the response code's bits. */
const IS_REPLY = 0x8000;
const TRUNCATED = 0x0200;
const CODE_BITS = 0x000f;
const CODES = ["NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];
/** Aliases of one name that are followed: more than any honest zone has. */
const MAX_ALIASES = 16;
const MAX_NAME_CHARS = 253;
const MAX_LABEL_CHARS = 63;

/** Why DNS can't be asked for `name` (RFC 1035 2.3.4); undefined when it can. */
export function nameFault(name: string): string | undefined {
  if (name.length === 0 || name.length > MAX_NAME_CHARS) return `a name of 1 to ${MAX_NAME_CHARS} characters is wanted`;
  const isLabel = (label: string) => label.length > 0 && label.length <= MAX_LABEL_CHARS;
  if (!name.split(".").every(isLabel)) return `labels of 1 to ${MAX_LABEL_CHARS} characters are wanted`;
  // dns-packet writes UTF-8; names come from the URL parser as ASCII.
  return /^[\x21-\x7e]+$/.test(name) ? undefined : "an ASCII name is wanted";
}

/** A recursive query. `extended`: says how large a reply may be (RFC 6891); some old servers refuse that. */
export function encodeQuery({ id, name, type }: Question, extended: boolean): Uint8Array {
  return encode({
    type: "query",
    id,
    flags: RECURSION_DESIRED,
    questions: [{ type, name, class: "IN" }],
    ...(extended && {
      additionals: [{
        type: "OPT",
        name: ".",
        udpPayloadSize: UDP_PAYLOAD_BYTES,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      }],
    }),
  });
}

/** The id of a message; undefined when it is too short for one. Tells whose reply it is before it is decoded. */
export function messageId(bytes: Uint8Array): number | undefined {
  return bytes.length < 12 ? undefined : (bytes[0]! << 8) | bytes[1]!;
}

/** What `bytes` reply to `question`; undefined when they are no reply to it. */
export function readReply(bytes: Uint8Array, question: Question): Reply | undefined {
  if (messageId(bytes) !== question.id) return undefined;
  let packet: DecodedPacket;
  try {
    packet = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  } catch {
    // A reply that is cut may end anywhere; what it says of itself stands in its first bytes.
    const flags = (bytes[2]! << 8) | bytes[3]!;
    return (flags & IS_REPLY) !== 0 && (flags & TRUNCATED) !== 0 ? { kind: "truncated" } : undefined;
  }
  if (packet.type !== "response" || !asks(packet, question)) return undefined;
  const flags = packet.flags ?? 0;
  if ((flags & TRUNCATED) !== 0) return { kind: "truncated" };
  if (!areRecordsWhole(bytes)) return undefined;
  const code = CODES[flags & CODE_BITS] ?? `RCODE${flags & CODE_BITS}`;
  if (code === "NXDOMAIN") return { kind: "nxdomain", ttlSeconds: negativeTtl(packet) };
  if (code !== "NOERROR") return { kind: "failed", code };
  return followed(packet, question);
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function asks({ questions }: DecodedPacket, { name, type }: Question): boolean {
  const [asked] = questions ?? [];
  return questions?.length === 1 && asked?.type === type && sameName(asked.name, name);
}

/** The addresses at the end of the aliases; they are good for as long as the shortest-lived record on the way. */
function followed({ answers = [], ...packet }: DecodedPacket, { name, type }: Question): Reply {
  let at = name;
  let ttlSeconds = Infinity;
  for (let alias = 0; alias <= MAX_ALIASES; alias++) {
    const here = answers.filter((one) => sameName(one.name, at));
    const found = here.filter((one): one is Answer & { type: AddressType; data: string; ttl?: number } =>
      one.type === type
    );
    if (found.length > 0) {
      for (const { ttl = 0 } of found) ttlSeconds = Math.min(ttlSeconds, ttl);
      // A record whose data isn't as long as an address is.
      const addresses = found.map(({ data }) => data).filter((one) => isIP(one) === (type === "A" ? 4 : 6));
      if (addresses.length === 0) return { kind: "failed", code: "addresses that are none" };
      return { kind: "addresses", addresses, ttlSeconds };
    }
    const next = here.find((one) => one.type === "CNAME");
    if (next?.type !== "CNAME") return { kind: "nodata", ttlSeconds: negativeTtl(packet as DecodedPacket) };
    ttlSeconds = Math.min(ttlSeconds, next.ttl ?? 0);
    at = next.data;
  }
  return { kind: "failed", code: "a chain of too many aliases" };
}

/** RFC 2308 5: the smaller of the SOA record's own TTL and its minimum. */
function negativeTtl({ authorities = [] }: DecodedPacket): number | undefined {
  const soa = authorities.find((one): one is SoaAnswer => one.type === "SOA");
  return soa === undefined ? undefined : Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0);
}
