/**
 * Tokens of the core's HTML tokenizer, for conformance tests: reads the records of assembly/html/token_dump.ts.
 * Invariant: neighbouring characters are one token, as html5lib's tests have them; doctypes have no parts.
 */

import { BUFFER, put } from "../../core-wasm/buffers.ts";
import type { RawDoor } from "../../core-wasm/instance.ts";

export type Token =
  | readonly ["Character" | "Comment" | "EndTag", string]
  | readonly ["DOCTYPE"]
  | readonly ["StartTag", string, Readonly<Record<string, string>>]
  | readonly ["StartTag", string, Readonly<Record<string, string>>, true];

/** Tokenizer states by html5lib's names; numbers of assembly/html/states.ts. */
export const STATES: Readonly<Record<string, number>> = {
  "Data state": 0,
  "RCDATA state": 1,
  "RAWTEXT state": 2,
  "Script data state": 3,
  "PLAINTEXT state": 4,
  "CDATA section state": 5,
};

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

class Records {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++]!;
  }

  word(): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, true);
  }

  text(): string {
    const length = this.word();
    this.#at += length;
    return decoder.decode(this.#bytes.subarray(this.#at - length, this.#at));
  }
}

function readToken(records: Records): Token {
  const type = records.byte();
  if (type === 1) return ["Character", records.text()];
  if (type === 2) return ["Comment", records.text()];
  if (type === 3) {
    records.text();
    return ["DOCTYPE"];
  }
  if (type === 5) return ["EndTag", records.text()];
  const isSelfClosing = records.byte() === 1;
  const name = records.text();
  const attributes: Record<string, string> = {};
  for (let left = records.word(); left > 0; left--) {
    const attribute = records.text();
    const value = records.text();
    if (!Object.hasOwn(attributes, attribute)) attributes[attribute] = value;
  }
  return isSelfClosing ? ["StartTag", name, attributes, true] : ["StartTag", name, attributes];
}

/** The tokens of `html` from `state` on; `lastTag` is the start tag whose end tag closes raw text. */
export function tokensOf(raw: RawDoor, html: string, { state, lastTag }: { state: number; lastTag: string }): Token[] {
  const page = encoder.encode(html);
  put(raw, BUFFER.htmlPage, page);
  const name = encoder.encode(lastTag);
  put(raw, BUFFER.input3, name);
  const address = raw.raw_tokens(page.length, state, name.length) >>> 0;
  const records = new Records(new Uint8Array(raw.memory.buffer, address, raw.raw_tokensLength()).slice());
  const tokens: Token[] = [];
  while (!records.done) {
    const token = readToken(records);
    const before = tokens.at(-1);
    if (token[0] === "Character" && before?.[0] === "Character") {
      tokens[tokens.length - 1] = ["Character", before[1] + token[1]];
    } else tokens.push(token);
  }
  return tokens;
}
