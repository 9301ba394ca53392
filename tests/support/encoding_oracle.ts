/**
 * Decoders and encoders of multi-byte charsets written a second time, straight from the Encoding Standard's steps and its
 * indexes, for tests to compare the core with. Slow and plain on purpose; shares nothing with the core.
 * Invariant: a decoder takes bytes and answers code points, U+FFFD for each error.
 */

export type Index = readonly (number | null)[];
export type Indexes = Readonly<Record<string, Index>> & {
  readonly "gb18030-ranges": readonly (readonly [pointer: number, code: number])[];
};

const ERROR = 0xfffd;
const within = (value: number, low: number, high: number): boolean => value >= low && value <= high;

/** A step's answer: a code point, bytes that are read again, or nothing yet. */
interface Step {
  readonly code?: number;
  readonly again?: readonly number[];
}

/** Runs a handler as "process a queue" does: -1 is the end of the queue. */
function run(bytes: Uint8Array, handler: (byte: number) => Step): number[] {
  const queue = Array.from(bytes).reverse();
  const codes: number[] = [];
  for (;;) {
    const byte = queue.pop() ?? -1;
    const { code, again } = handler(byte);
    if (code !== undefined) codes.push(code);
    for (const restored of [...again ?? []].reverse()) queue.push(restored);
    if (byte === -1 && (again ?? []).length === 0) return codes;
  }
}

/** What an error does with the byte that made it: ASCII is read again. */
const failed = (byte: number): Step => byte < 0x80 ? { code: ERROR, again: [byte] } : { code: ERROR };

function rangesCode(indexes: Indexes, pointer: number): number | undefined {
  if (within(pointer, 39420, 188999) || pointer > 1237575) return undefined;
  if (pointer === 7457) return 0xe7c7;
  const [offset, code] = indexes["gb18030-ranges"].findLast(([first]) => first <= pointer)!;
  return code + pointer - offset;
}

function gb18030(indexes: Indexes, bytes: Uint8Array): number[] {
  let [first, second, third] = [0, 0, 0];
  return run(bytes, (byte) => {
    if (byte === -1) {
      const wasEmpty = first === 0;
      first = second = third = 0;
      return wasEmpty ? {} : { code: ERROR };
    }
    if (third !== 0) {
      const [a, b, c] = [first, second, third];
      first = second = third = 0;
      if (!within(byte, 0x30, 0x39)) return { code: ERROR, again: [b, c, byte] };
      const pointer = (a - 0x81) * 12600 + (b - 0x30) * 1260 + (c - 0x81) * 10 + byte - 0x30;
      return { code: rangesCode(indexes, pointer) ?? ERROR };
    }
    if (second !== 0) {
      if (within(byte, 0x81, 0xfe)) third = byte;
      else {
        const again = [second, byte];
        first = second = 0;
        return { code: ERROR, again };
      }
      return {};
    }
    if (first !== 0) {
      if (within(byte, 0x30, 0x39)) {
        second = byte;
        return {};
      }
      const lead = first;
      first = 0;
      const isTrail = within(byte, 0x40, 0x7e) || within(byte, 0x80, 0xfe);
      const pointer = (lead - 0x81) * 190 + byte - (byte < 0x7f ? 0x40 : 0x41);
      const code = isTrail ? indexes["gb18030"]![pointer] : null;
      return code != null ? { code } : failed(byte);
    }
    if (byte < 0x80) return { code: byte };
    if (byte === 0x80) return { code: 0x20ac };
    if (byte === 0xff) return { code: ERROR };
    first = byte;
    return {};
  });
}

/** Big5, EUC-KR and Shift_JIS: a lead and a trail. `single` answers for bytes that are no lead. */
function pairs(
  bytes: Uint8Array,
  single: (byte: number) => number | undefined,
  pair: (lead: number, trail: number) => readonly number[] | undefined,
): number[] {
  let lead = 0;
  const codes: number[] = [];
  // Two code points of one pair: the second follows at once.
  for (
    const code of run(bytes, (byte) => {
      if (byte === -1) {
        const wasEmpty = lead === 0;
        lead = 0;
        return wasEmpty ? {} : { code: ERROR };
      }
      if (lead !== 0) {
        const found = pair(lead, byte);
        lead = 0;
        if (found === undefined) return failed(byte);
        return { code: found.length === 2 ? -(found[0]! * 0x10000 + found[1]!) : found[0]! };
      }
      const code = single(byte);
      if (code !== undefined) return { code };
      lead = byte;
      return {};
    })
  ) {
    if (code < 0) codes.push(Math.floor(-code / 0x10000), -code % 0x10000);
    else codes.push(code);
  }
  return codes;
}

const one = (code: number | null | undefined): readonly number[] | undefined => code == null ? undefined : [code];
const plainSingle = (byte: number): number | undefined =>
  byte < 0x80 ? byte : byte === 0x80 || byte === 0xff ? ERROR : undefined;

const BIG5_PAIRS = new Map([[1133, [0xca, 0x304]], [1135, [0xca, 0x30c]], [1164, [0xea, 0x304]], [1166, [
  0xea,
  0x30c,
]]]);

function big5(indexes: Indexes, bytes: Uint8Array): number[] {
  return pairs(bytes, plainSingle, (lead, trail) => {
    if (!within(trail, 0x40, 0x7e) && !within(trail, 0xa1, 0xfe)) return undefined;
    const pointer = (lead - 0x81) * 157 + trail - (trail < 0x7f ? 0x40 : 0x62);
    return BIG5_PAIRS.get(pointer) ?? one(indexes["big5"]![pointer]);
  });
}

function eucKr(indexes: Indexes, bytes: Uint8Array): number[] {
  return pairs(bytes, plainSingle, (lead, trail) => {
    return within(trail, 0x41, 0xfe) ? one(indexes["euc-kr"]![(lead - 0x81) * 190 + trail - 0x41]) : undefined;
  });
}

function shiftJis(indexes: Indexes, bytes: Uint8Array): number[] {
  const single = (byte: number): number | undefined => {
    if (byte <= 0x80) return byte;
    if (within(byte, 0xa1, 0xdf)) return 0xff61 - 0xa1 + byte;
    return within(byte, 0x81, 0x9f) || within(byte, 0xe0, 0xfc) ? undefined : ERROR;
  };
  return pairs(bytes, single, (lead, trail) => {
    if (!within(trail, 0x40, 0x7e) && !within(trail, 0x80, 0xfc)) return undefined;
    const pointer = (lead - (lead < 0xa0 ? 0x81 : 0xc1)) * 188 + trail - (trail < 0x7f ? 0x40 : 0x41);
    return within(pointer, 8836, 10715) ? [0xe000 - 8836 + pointer] : one(indexes["jis0208"]![pointer]);
  });
}

function eucJp(indexes: Indexes, bytes: Uint8Array): number[] {
  let lead = 0;
  let isSupplement = false;
  return run(bytes, (byte) => {
    if (byte === -1) {
      const wasEmpty = lead === 0;
      lead = 0;
      return wasEmpty ? {} : { code: ERROR };
    }
    if (lead === 0x8e && within(byte, 0xa1, 0xdf)) {
      lead = 0;
      return { code: 0xff61 - 0xa1 + byte };
    }
    if (lead === 0x8f && within(byte, 0xa1, 0xfe)) {
      isSupplement = true;
      lead = byte;
      return {};
    }
    if (lead !== 0) {
      const isPair = within(lead, 0xa1, 0xfe) && within(byte, 0xa1, 0xfe);
      const index = indexes[isSupplement ? "jis0212" : "jis0208"]!;
      const code = isPair ? index[(lead - 0xa1) * 94 + byte - 0xa1] : null;
      lead = 0;
      isSupplement = false;
      return code != null ? { code } : failed(byte);
    }
    if (byte < 0x80) return { code: byte };
    if (byte !== 0x8e && byte !== 0x8f && !within(byte, 0xa1, 0xfe)) return { code: ERROR };
    lead = byte;
    return {};
  });
}

type JisState = "ascii" | "roman" | "katakana" | "lead" | "trail" | "escape start" | "escape";

const ESCAPES: Readonly<Record<string, JisState>> = {
  "\x28\x42": "ascii",
  "\x28\x4a": "roman",
  "\x28\x49": "katakana",
  "\x24\x40": "lead",
  "\x24\x42": "lead",
};

function iso2022Jp(indexes: Indexes, bytes: Uint8Array): number[] {
  let state: JisState = "ascii";
  let outputState: JisState = "ascii";
  let lead = 0;
  let output = false;
  const emit = (code: number): Step => {
    output = false;
    return { code };
  };
  const trail = (byte: number): Step => {
    state = byte === 0x1b ? "escape start" : "lead";
    if (!within(byte, 0x21, 0x7e)) return { code: ERROR };
    return { code: indexes["jis0208"]![(lead - 0x21) * 94 + byte - 0x21] ?? ERROR };
  };
  const escaped = (byte: number): Step => {
    const first = lead;
    lead = 0;
    const named = ESCAPES[String.fromCharCode(first, Math.max(byte, 0))];
    if (named !== undefined) {
      state = outputState = named;
      const wasOutput = output;
      output = true;
      return wasOutput ? { code: ERROR } : {};
    }
    output = false;
    state = outputState;
    return { code: ERROR, again: byte === -1 ? [first] : [first, byte] };
  };
  const escapeStart = (byte: number): Step => {
    if (byte === 0x24 || byte === 0x28) {
      lead = byte;
      state = "escape";
      return {};
    }
    output = false;
    state = outputState;
    return byte === -1 ? { code: ERROR } : { code: ERROR, again: [byte] };
  };
  return run(bytes, (byte) => {
    if (state === "escape start") return escapeStart(byte);
    if (state === "escape") return escaped(byte);
    if (state === "trail") return trail(byte);
    if (byte === -1) return {};
    if (byte === 0x1b) {
      state = "escape start";
      return {};
    }
    if (state === "katakana") return emit(within(byte, 0x21, 0x5f) ? 0xff61 - 0x21 + byte : ERROR);
    if (state === "lead") {
      if (!within(byte, 0x21, 0x7e)) return emit(ERROR);
      output = false;
      lead = byte;
      state = "trail";
      return {};
    }
    if (byte >= 0x80 || byte === 0x0e || byte === 0x0f) return emit(ERROR);
    if (state === "roman" && byte === 0x5c) return emit(0xa5);
    return emit(state === "roman" && byte === 0x7e ? 0x203e : byte);
  });
}

function utf16(bytes: Uint8Array, isBig: boolean): number[] {
  let lead = -1;
  let surrogate = -1;
  return run(bytes, (byte) => {
    if (byte === -1) {
      const wasEmpty = lead < 0 && surrogate < 0;
      lead = surrogate = -1;
      return wasEmpty ? {} : { code: ERROR };
    }
    if (lead < 0) {
      lead = byte;
      return {};
    }
    const again = [lead, byte];
    const unit = isBig ? lead * 256 + byte : byte * 256 + lead;
    lead = -1;
    if (surrogate >= 0) {
      const high = surrogate;
      surrogate = -1;
      if (within(unit, 0xdc00, 0xdfff)) return { code: 0x10000 + (high - 0xd800) * 0x400 + unit - 0xdc00 };
      return { code: ERROR, again };
    }
    if (within(unit, 0xd800, 0xdbff)) {
      surrogate = unit;
      return {};
    }
    return { code: within(unit, 0xdc00, 0xdfff) ? ERROR : unit };
  });
}

const DECODERS: Readonly<Record<string, (indexes: Indexes, bytes: Uint8Array) => number[]>> = {
  "gbk": gb18030,
  gb18030,
  big5,
  "euc-kr": eucKr,
  "euc-jp": eucJp,
  "shift_jis": shiftJis,
  "iso-2022-jp": iso2022Jp,
  "utf-16le": (_, bytes) => utf16(bytes, false),
  "utf-16be": (_, bytes) => utf16(bytes, true),
  "replacement": (_, bytes) => bytes.length === 0 ? [] : [ERROR],
  "x-user-defined": (_, bytes) => Array.from(bytes, (byte) => byte < 0x80 ? byte : 0xf700 + byte),
};

/** Charsets that `oracleDecode` knows beside those of one byte a character. */
export const ORACLE_CHARSETS: readonly string[] = Object.keys(DECODERS);

/** Decodes as the standard's steps say; single-byte charsets by the index of their name. */
export function oracleDecode(indexes: Indexes, charset: string, bytes: Uint8Array): string {
  const decoder = DECODERS[charset];
  const index = indexes[charset];
  const codes = decoder?.(indexes, bytes) ??
    Array.from(bytes, (byte) => byte < 0x80 ? byte : index![byte - 0x80] ?? ERROR);
  let text = "";
  for (const code of codes) text += String.fromCodePoint(code);
  return text;
}
