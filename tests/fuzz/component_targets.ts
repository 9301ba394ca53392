/**
 * The component door as jco's glue opens it: lists and records lowered and lifted. Each answer is compared with that of the
 * raw door where there is one. Invariant: both doors give one answer.
 */

import { blocksFor } from "../../core-wasm/filter.ts";
import { DEFAULT_PROFILE, rulesOf } from "../../core-wasm/normalize_profile.ts";
import { LIMITS } from "../../protocol/limits.ts";
import { makePage, makeUrl, MAX_BYTES } from "./inputs.ts";
import type { Target } from "./target.ts";

const RULES = rulesOf(DEFAULT_PROFILE);
const PAGE_URL = "http://page.example/d/p?q";
/** Bits of assembly/url/profile.ts. */
const RULE_BITS = 16;
const BATCH = 16;
const encoder = new TextEncoder();

function same(what: string, typed: bigint, raw: bigint): void {
  if (BigInt.asUintN(64, typed) !== raw) {
    throw new Error(`${what}: the component door said ${typed}, the raw one ${raw}.`);
  }
}

/** Bits of `wants`: embeds, forms, no text, XHTML, anchor texts. */
const WANTS = [1, 2, 8, 16, 32];

const typedScan: Target = ({ core, doors, chance, seeds, digest }) => {
  const room = new Uint8Array(MAX_BYTES);
  return () => {
    const length = makePage(chance, seeds, room, 128);
    const page = room.subarray(0, length);
    const wants = WANTS.reduce((sum, bit) => sum | (chance.below(3) === 0 ? bit : 0), 0);
    const facts = doors.typed.pages.scan(page, PAGE_URL, chance.below(2) === 0 ? "me" : "", wants);
    if (facts.truncated) throw new Error("The component's scan gave the page up; all of its facts were wanted.");
    for (const link of facts.links) {
      digest.text(`${link.url} ${link.raw} ${link.kind} ${link.rel} ${link.hreflang} ${link.text}`);
    }
    digest.text(
      `${facts.base} ${facts.title} ${facts.lang} ${facts.canonical ?? ""} ${facts.noindex} ${facts.nofollow}`,
    );
    digest.long(facts.simhash);
    digest.long(facts.textHash);
    digest.number(facts.textLength);
    same("Hash of a page", doors.typed.hashing.xxh64(page), core.xxh64(page));
    same("SimHash of a page", doors.typed.pages.simhash(page), core.simhash(page));
    return { inputs: 1, bytes: length };
  };
};

const typedUrls: Target = ({ core, doors, chance, seeds, digest }) => () => {
  const inputs = Array.from({ length: BATCH }, () => makeUrl(chance, seeds));
  const texts = inputs.map((input) => encoder.encode(input));
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + text.length, 0));
  const ends = new Uint32Array(BATCH);
  let end = 0;
  for (const [i, text] of texts.entries()) {
    bytes.set(text, end);
    ends[i] = end += text.length;
  }
  // Now and then ends that no text has: they are taken for the nearest that could be.
  let isOdd = chance.below(8) === 0;
  if (isOdd) ends[chance.below(BATCH)] = chance.below(2 ** 31);
  // And rules that no profile has by default.
  const rules = chance.below(3) === 0 ? chance.below(1 << RULE_BITS) : RULES;
  isOdd ||= rules !== RULES;
  const answer = doors.typed.urls.normalize(bytes, ends, LIMITS.urlBytes, rules);
  digest.bytes(new Uint8Array(answer.columns.buffer, answer.columns.byteOffset, answer.columns.byteLength));
  digest.bytes(answer.text);
  const raw = core.urls(inputs);
  for (let i = 0; i < BATCH; i++) {
    digest.long(answer.fingerprints[i]!);
    if (!isOdd) same(`Fingerprint of ${inputs[i]}`, answer.fingerprints[i]!, raw.fingerprints[i]!);
  }
  return { inputs: BATCH, bytes: end };
};

/** The instance's one filter, against the raw door's. */
const typedFilters: Target = ({ core, doors, chance, digest }) => {
  const filter = core.filter(1000);
  const { filters } = doors.freshTyped();
  if (!filters.open(blocksFor(1000))) {
    throw new Error("Opening the component's filter failed; there is one to an instance.");
  }
  return () => {
    const keys = BigUint64Array.from({ length: chance.below(200) }, () => BigInt(chance.below(100_000)) << 20n);
    const added = filters.addAll(keys);
    if (added.join() !== filter.addAll(keys).join()) throw new Error("The two doors' filters told different new keys.");
    digest.bytes(added);
    digest.bytes(filters.hasAll(keys.map((key) => key + BigInt(chance.below(2)))));
    return { inputs: keys.length, bytes: keys.byteLength };
  };
};

export const COMPONENT_TARGETS = { typedScan, typedUrls, typedFilters } satisfies Record<string, Target>;
