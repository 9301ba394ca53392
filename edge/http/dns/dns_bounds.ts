/**
 * Whether the records of a DNS message are as long as they say (RFC 1035 4.1): the codec reads an address wherever it
 * begins, and what a record's length says only where it has to.
 * Invariant: total, in linear time; true means that every record lies in the message, one behind the other, and that
 * addresses, aliases and SOA records fill theirs.
 */

const HEADER_BYTES = 12;
/** Type and class of a question; type, class, TTL and length of a record. */
const ASKED_BYTES = 4;
const FIXED_BYTES = 10;
const POINTER_BITS = 0xc0;
const TYPE = { A: 1, CNAME: 5, SOA: 6, AAAA: 28 } as const;
/** Serial, refresh, retry, expire and minimum. */
const SOA_NUMBERS_BYTES = 20;
/** Beyond every message. */
const NOWHERE = Infinity;

/** Behind the name at `from`, NOWHERE when it has no end. Where a pointer leads is the codec's matter. */
function nameEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length;) {
    const length = bytes[at]!;
    if (length === 0) return at + 1;
    if ((length & POINTER_BITS) === POINTER_BITS) return at + 2;
    if ((length & POINTER_BITS) !== 0) return NOWHERE;
    at += 1 + length;
  }
  return NOWHERE;
}

const word = (bytes: Uint8Array, at: number) => (bytes[at]! << 8) | bytes[at + 1]!;

/** Where the data at `from` ends by what it is; undefined where its length alone says so. */
function dataEnd(bytes: Uint8Array, type: number, from: number): number | undefined {
  if (type === TYPE.A) return from + 4;
  if (type === TYPE.AAAA) return from + 16;
  if (type === TYPE.CNAME) return nameEnd(bytes, from);
  if (type === TYPE.SOA) return nameEnd(bytes, nameEnd(bytes, from)) + SOA_NUMBERS_BYTES;
  return undefined;
}

export function areRecordsWhole(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  let at = HEADER_BYTES;
  for (let questions = word(bytes, 4); questions > 0; questions--) at = nameEnd(bytes, at) + ASKED_BYTES;
  for (let records = word(bytes, 6) + word(bytes, 8) + word(bytes, 10); records > 0; records--) {
    const fixed = nameEnd(bytes, at);
    const data = fixed + FIXED_BYTES;
    if (data > bytes.length) return false;
    at = data + word(bytes, data - 2);
    if ((dataEnd(bytes, word(bytes, fixed), data) ?? at) !== at) return false;
  }
  return at <= bytes.length;
}
