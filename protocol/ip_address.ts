/**
 * IP addresses and CIDR ranges as bytes.
 * Invariant: every spelling that a URL parser or getaddrinfo takes for an address (WHATWG URL 4.1: shortened, octal,
 * hexadecimal and single-number IPv4; RFC 4291 2.2: compressed and mixed IPv6) gives the same 4 or 16 bytes. Pure.
 */

export interface Cidr {
  readonly bytes: Uint8Array;
  /** Leading bits that count: 0 to 32 or 0 to 128. */
  readonly prefixBits: number;
}

function ipv4Number(part: string): number | undefined {
  if (/^0[xX][0-9a-fA-F]*$/.test(part)) return part.length === 2 ? 0 : parseInt(part.slice(2), 16);
  if (/^0[0-7]+$/.test(part)) return parseInt(part, 8);
  return /^(0|[1-9][0-9]*)$/.test(part) ? Number(part) : undefined;
}

/** The 4 bytes of an IPv4 address in any spelling, a trailing dot allowed; undefined for anything else. */
export function parseIpv4(text: string): Uint8Array | undefined {
  if (text.length > 60) return undefined;
  const parts = (text.endsWith(".") ? text.slice(0, -1) : text).split(".");
  if (parts.length > 4) return undefined;
  let value = 0;
  for (let i = 0; i < parts.length; i++) {
    const number = ipv4Number(parts[i]!);
    const last = i === parts.length - 1;
    // The last number fills all the bytes that are left: 127.1 is 127.0.0.1.
    if (number === undefined || number >= (last ? 256 ** (4 - i) : 256)) return undefined;
    value += last ? number : number * 256 ** (3 - i);
  }
  return new Uint8Array([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
}

function ipv6Groups(text: string): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (i === parts.length - 1 && part.includes(".")) {
      if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(part)) return undefined;
      const bytes = part.split(".").map(Number);
      if (bytes.some((byte) => byte > 255)) return undefined;
      groups.push(bytes[0]! * 256 + bytes[1]!, bytes[2]! * 256 + bytes[3]!);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** The 16 bytes of an IPv6 address; brackets and a zone (`%eth0`) are allowed and dropped. */
export function parseIpv6(text: string): Uint8Array | undefined {
  const bare = (text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text).replace(/%.*$/s, "");
  if (bare.length > 45) return undefined;
  const halves = bare.split("::");
  if (halves.length > 2) return undefined;
  const head = ipv6Groups(halves[0]!);
  const tail = halves.length === 2 ? ipv6Groups(halves[1]!) : [];
  if (!head || !tail || (halves.length === 2 && halves[0]!.includes("."))) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const bytes = new Uint8Array(16);
  [...head, ...new Array<number>(missing).fill(0), ...tail].forEach((group, i) => {
    bytes[i * 2] = group >> 8;
    bytes[i * 2 + 1] = group & 255;
  });
  return bytes;
}

/** The 4 or 16 bytes that `text` spells, or undefined when it is no address. */
export function parseAddress(text: string): Uint8Array | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

/** Dotted decimal, or RFC 5952 without its zero compression (eight groups): unambiguous, for messages and keys. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  return Array.from({ length: 8 }, (_, i) => (bytes[i * 2]! * 256 + bytes[i * 2 + 1]!).toString(16)).join(":");
}

/** `10.0.0.0/8`, `fd00::/8` or a single address. Throws a sentence when `text` is neither. */
export function parseCidr(text: string): Cidr {
  const [address, prefix, ...rest] = text.trim().split("/");
  const bytes = parseAddress(address!);
  const most = bytes ? bytes.length * 8 : 0;
  const prefixBits = prefix === undefined ? most : Number(/^\d{1,3}$/.test(prefix) ? prefix : NaN);
  if (!bytes || rest.length > 0 || !(prefixBits <= most)) {
    throw new Error(
      `Reading the address range "${text}" failed: wanted CIDR like 10.0.0.0/8, fd00::/8 or one address.`,
    );
  }
  return { bytes, prefixBits };
}

/** True when `address` lies in `range`: same family, and all of the prefix's bits are equal. */
export function contains(range: Cidr, address: Uint8Array): boolean {
  if (range.bytes.length !== address.length) return false;
  const whole = range.prefixBits >> 3;
  for (let i = 0; i < whole; i++) if (range.bytes[i] !== address[i]) return false;
  const rest = range.prefixBits & 7;
  return rest === 0 || ((range.bytes[whole]! ^ address[whole]!) & (0xff00 >> rest) & 0xff) === 0;
}

/** The IPv4 address inside an IPv4-mapped IPv6 address (RFC 4291 2.5.5.2); other addresses as they are. */
function unmapped(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 16 || bytes[10] !== 0xff || bytes[11] !== 0xff) return bytes;
  return bytes.subarray(0, 10).every((byte) => byte === 0) ? bytes.subarray(12) : bytes;
}

/**
 * What requests to an address are counted by: an IPv4 address itself, an IPv6 address' /64 (one customer's network,
 * RFC 6177). Undefined when `text` is no address.
 */
export function addressGroup(text: string): string | undefined {
  const parsed = parseAddress(text);
  if (parsed === undefined) return undefined;
  const bytes = unmapped(parsed);
  if (bytes.length === 4) return formatAddress(bytes);
  const network = Uint8Array.from(bytes, (byte, i) => i < 8 ? byte : 0);
  return `${formatAddress(network)}/64`;
}
