/**
 * A short text for a short text, of which the oldest go when there are too many: a Map would take several times the
 * memory, all of it for the collector to walk.
 * Invariants: keys are compared whole, so no text is found under another's key; entries lie in the order in which they
 * were put, in one ring of bytes that grows to its bound and no further.
 */

/** Of an entry: hash of the key, bytes of the key, bytes of the text. */
const HEAD_WORDS = 2;
const WORD_BYTES = 4;
const HEAD_BYTES = HEAD_WORDS * WORD_BYTES;
const LONGEST_BYTES = 0xffff;
const FIRST_BYTES = 1 << 16;
const FIRST_SLOTS = 1 << 10;
/** UTF-8 needs at most three bytes for a UTF-16 unit. */
const BYTES_PER_CHAR = 3;

export interface Bounds {
  readonly entries: number;
  /** Of keys and texts together, with eight bytes an entry; a multiple of 4. */
  readonly bytes: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class BoundedTexts {
  readonly #bounds: Bounds;
  #ring: Uint32Array;
  #bytes: Uint8Array;
  /** Open addressing: word of the ring where an entry begins, plus one; 0 = free. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #size = 0;
  /** Words: where the next entry goes, where the oldest is. */
  #head = 0;
  #tail = 0;
  /** The ring has gone round: entries lie from #tail to here, then from 0 to #head. Otherwise undefined. */
  #wrapsAt: number | undefined;
  #scratch = new Uint8Array(256);

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#ring = new Uint32Array(Math.min(FIRST_BYTES, bounds.bytes) / WORD_BYTES);
    this.#bytes = new Uint8Array(this.#ring.buffer);
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): string | undefined {
    const { hash, keyBytes } = this.#encoded(key);
    const at = this.#slots[this.#slotOf(hash, keyBytes)]! - 1;
    if (at < 0) return undefined;
    const start = at * WORD_BYTES + HEAD_BYTES + keyBytes;
    return decoder.decode(this.#bytes.subarray(start, start + (this.#ring[at + 1]! >>> 16)));
  }

  /** Keeps `text`, unless the key is there already or one of the two is longer than 65,535 bytes. */
  add(key: string, text: string): void {
    const value = encoder.encode(text);
    const { hash, keyBytes } = this.#encoded(key);
    const words = HEAD_WORDS + Math.ceil((keyBytes + value.length) / WORD_BYTES);
    if (keyBytes > LONGEST_BYTES || value.length > LONGEST_BYTES || words * WORD_BYTES > this.#bounds.bytes) return;
    if (this.#slots[this.#slotOf(hash, keyBytes)] !== 0) return;
    if (this.#size >= this.#bounds.entries) this.#forgetOldest();
    this.#makeRoom(words);
    if (2 * (this.#size + 1) > this.#slots.length) this.#growSlots();
    const at = this.#head;
    this.#ring[at] = hash;
    this.#ring[at + 1] = value.length << 16 | keyBytes;
    const start = at * WORD_BYTES + HEAD_BYTES;
    this.#bytes.set(this.#scratch.subarray(0, keyBytes), start);
    this.#bytes.set(value, start + keyBytes);
    this.#slots[this.#slotOf(hash, keyBytes)] = at + 1;
    this.#head = at + words;
    this.#size++;
  }

  /** The key's bytes stand at the beginning of #scratch until the next call. */
  #encoded(key: string): { hash: number; keyBytes: number } {
    if (this.#scratch.length < key.length * BYTES_PER_CHAR) {
      this.#scratch = new Uint8Array(key.length * BYTES_PER_CHAR);
    }
    const keyBytes = encoder.encodeInto(key, this.#scratch).written;
    let hash = 0x811c9dc5;
    for (let i = 0; i < keyBytes; i++) hash = Math.imul(hash ^ this.#scratch[i]!, 0x01000193);
    return { hash: (hash ^ hash >>> 15) >>> 0, keyBytes };
  }

  /** The slot of the key in #scratch, or the free one where it belongs. */
  #slotOf(hash: number, keyBytes: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#isAt(this.#slots[slot]! - 1, hash, keyBytes)) break;
    }
    return slot;
  }

  #isAt(at: number, hash: number, keyBytes: number): boolean {
    if (this.#ring[at] !== hash || (this.#ring[at + 1]! & LONGEST_BYTES) !== keyBytes) return false;
    const start = at * WORD_BYTES + HEAD_BYTES;
    for (let i = 0; i < keyBytes; i++) if (this.#bytes[start + i] !== this.#scratch[i]) return false;
    return true;
  }

  /** Makes `words` words at #head free. */
  #makeRoom(words: number): void {
    for (;;) {
      if (this.#size === 0) [this.#head, this.#tail, this.#wrapsAt] = [0, 0, undefined];
      const end = this.#wrapsAt === undefined ? this.#ring.length : this.#tail;
      if (this.#head + words <= end) return;
      if (this.#wrapsAt !== undefined) this.#forgetOldest();
      else if (this.#ring.length * WORD_BYTES < this.#bounds.bytes) this.#growRing();
      else [this.#head, this.#wrapsAt] = [0, this.#head];
    }
  }

  #growRing(): void {
    const larger = new Uint32Array(Math.min(this.#ring.length * 2, this.#bounds.bytes / WORD_BYTES));
    larger.set(this.#ring);
    this.#ring = larger;
    this.#bytes = new Uint8Array(larger.buffer);
  }

  #growSlots(): void {
    const kept = this.#slots.filter((place) => place !== 0);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (const place of kept) {
      let slot = this.#ring[place - 1]! & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place;
    }
  }

  #forgetOldest(): void {
    if (this.#tail === this.#wrapsAt) [this.#tail, this.#wrapsAt] = [0, undefined];
    const at = this.#tail;
    const lengths = this.#ring[at + 1]!;
    this.#free(at);
    this.#tail = at + HEAD_WORDS + Math.ceil(((lengths & LONGEST_BYTES) + (lengths >>> 16)) / WORD_BYTES);
    this.#size--;
  }

  /** Takes the entry's slot away and closes the gap, so that no search ends before what lies behind (Knuth 6.4, R). */
  #free(at: number): void {
    const mask = this.#slots.length - 1;
    let gap = this.#ring[at]! & mask;
    while (this.#slots[gap] !== at + 1) gap = (gap + 1) & mask;
    for (let next = (gap + 1) & mask; this.#slots[next] !== 0; next = (next + 1) & mask) {
      const home = this.#ring[this.#slots[next]! - 1]! & mask;
      if (((next - home) & mask) < ((next - gap) & mask)) continue;
      this.#slots[gap] = this.#slots[next]!;
      gap = next;
    }
    this.#slots[gap] = 0;
  }
}
