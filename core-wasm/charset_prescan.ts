/**
 * The prescan of a page's first bytes for what it says of its charset (WHATWG HTML 13.2.3.2, "prescan a byte
 * stream to determine its encoding"). Invariant: linear in the bytes that it is given.
 */

type Lookup = (label: string) => string | undefined;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d;
const isLetter = (byte: number | undefined): boolean => byte !== undefined && ((byte | 0x20) - 0x61) >>> 0 < 26;
const GT = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;

/** One character per byte, ASCII as it is: enough to compare ASCII with. */
const byteDecoder = new TextDecoder("latin1");

/** "Extracting a character encoding from a meta element" (WHATWG HTML 2.6.5): the label after `charset =`. */
export function extractCharset(content: string): string | undefined {
  const mention = /charset[\t\n\f\r ]*=[\t\n\f\r ]*/gi.exec(content);
  if (mention === null) return undefined;
  const rest = content.slice(mention.index + mention[0].length);
  const quote = rest[0];
  if (quote === '"' || quote === "'") {
    const close = rest.indexOf(quote, 1);
    return close < 0 ? undefined : rest.slice(1, close);
  }
  return /^[^\t\n\f\r ;]+/.exec(rest)?.[0];
}

/** What a page can't be in, since its declaration was read as ASCII, stands for what it must mean. */
function asDeclared(name: string | undefined): string | undefined {
  if (name === "utf-16le" || name === "utf-16be") return "utf-8";
  return name === "x-user-defined" ? "windows-1252" : name;
}

interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly next: number;
}

/** "Get an attribute": undefined when the tag has no more; then `next` is where its `>` is, or the end. */
function attributeAt(head: string, bytes: Uint8Array, from: number): Attribute | number {
  let p = from;
  while (isSpace(bytes[p]) || bytes[p] === SLASH) p++;
  if (p >= bytes.length || bytes[p] === GT) return p;
  const start = p;
  p++;
  while (p < bytes.length && !isSpace(bytes[p]) && bytes[p] !== SLASH && bytes[p] !== GT && bytes[p] !== EQUALS) p++;
  const name = head.slice(start, p).toLowerCase();
  while (isSpace(bytes[p])) p++;
  if (bytes[p] !== EQUALS) return { name, value: "", next: p };
  p++;
  while (isSpace(bytes[p])) p++;
  if (bytes[p] === 0x22 || bytes[p] === 0x27) {
    const close = head.indexOf(head[p]!, p + 1);
    if (close < 0) return bytes.length;
    return { name, value: head.slice(p + 1, close), next: close + 1 };
  }
  const valueStart = p;
  while (p < bytes.length && !isSpace(bytes[p]) && bytes[p] !== GT) p++;
  return { name, value: head.slice(valueStart, p), next: p };
}

/** The charset that a meta element declares, if any, and where it ends. */
function metaCharset(head: string, bytes: Uint8Array, from: number, lookup: Lookup): { name?: string; next: number } {
  const seen = new Set<string>();
  let pragma = false;
  let needsPragma: boolean | undefined;
  let name: string | undefined;
  let next = from;
  for (;;) {
    const attribute = attributeAt(head, bytes, next);
    if (typeof attribute === "number") {
      next = attribute;
      break;
    }
    next = attribute.next;
    if (seen.has(attribute.name)) continue;
    seen.add(attribute.name);
    if (attribute.name === "http-equiv") pragma ||= attribute.value.toLowerCase() === "content-type";
    else if (attribute.name === "charset") {
      name = lookup(attribute.value);
      needsPragma = false;
    } else if (attribute.name === "content" && name === undefined && needsPragma !== false) {
      const label = extractCharset(attribute.value);
      const found = label === undefined ? undefined : lookup(label);
      if (found !== undefined) {
        name = found;
        needsPragma = true;
      }
    }
  }
  const declared = needsPragma === undefined || (needsPragma && !pragma) ? undefined : asDeclared(name);
  return declared === undefined ? { next } : { name: declared, next };
}

/** Where the tag at `from` (after its name) ends. */
function skipTag(head: string, bytes: Uint8Array, from: number): number {
  let next = from;
  while (next < bytes.length && !isSpace(bytes[next]) && bytes[next] !== GT) next++;
  for (;;) {
    const attribute = attributeAt(head, bytes, next);
    if (typeof attribute === "number") return attribute;
    next = attribute.next;
  }
}

/** `<?xml ... encoding="...">` at the very start ("get an XML encoding"), and UTF-16 with `<?x` but without a BOM. */
function xmlCharset(head: string, lookup: Lookup): string | undefined {
  if (head.startsWith("<\0?\0x\0")) return "utf-16le";
  if (head.startsWith("\0<\0?\0x")) return "utf-16be";
  if (!head.startsWith("<?xml")) return undefined;
  const close = head.indexOf(">");
  const declaration = close < 0 ? "" : head.slice(0, close);
  const label = /encoding[\0-\x20]*=[\0-\x20]*(["'])([^\0-\x20]*?)\1/.exec(declaration)?.[2];
  return label === undefined ? undefined : asDeclared(lookup(label));
}

/** The charset that these first bytes of a page declare; undefined when they declare none that exists. */
export function prescan(bytes: Uint8Array, lookup: Lookup): string | undefined {
  const head = byteDecoder.decode(bytes);
  if (head.startsWith("<\0?\0x\0") || head.startsWith("\0<\0?\0x")) return xmlCharset(head, lookup);
  for (let p = head.indexOf("<"); p >= 0 && p < bytes.length; p = head.indexOf("<", p)) {
    if (head.startsWith("<!--", p)) {
      const close = head.indexOf("-->", p + 2);
      if (close < 0) break;
      p = close + 3;
    } else if (/^meta$/i.test(head.slice(p + 1, p + 5)) && (isSpace(bytes[p + 5]) || bytes[p + 5] === SLASH)) {
      const { name, next } = metaCharset(head, bytes, p + 5, lookup);
      if (name !== undefined) return name;
      p = next;
    } else if (isLetter(bytes[p + 1]) || (bytes[p + 1] === SLASH && isLetter(bytes[p + 2]))) {
      p = skipTag(head, bytes, p + 1);
    } else if (bytes[p + 1] === 0x21 || bytes[p + 1] === SLASH || bytes[p + 1] === 0x3f) {
      const close = head.indexOf(">", p);
      if (close < 0) break;
      p = close;
    } else p++;
  }
  return xmlCharset(head, lookup);
}
