/**
 * What is fuzzed: each door and export of the core, by the calls that its users make; here URLs, pages and hashes.
 * Invariant: a target answers any input; what it throws is a bug.
 */

import { BUFFER, put } from "../../core-wasm/buffers.ts";
import type { PageFacts } from "../../core-wasm/mod.ts";
import type { Chance } from "./chance.ts";
import { CHARSET_TARGETS, CHARSETS } from "./charset_targets.ts";
import { COMPONENT_TARGETS } from "./component_targets.ts";
import type { Digest } from "./digest.ts";
import { FILTER_TARGETS } from "./filter_targets.ts";
import { makePage, makeUrl, MAX_BYTES } from "./inputs.ts";
import { NEAR_TARGETS } from "./near_targets.ts";
import type { Target } from "./target.ts";
import { TEXT_TARGETS } from "./text_targets.ts";

const BATCH = 128;
/** Of assembly/html/states.ts. */
const STATES = 6;
/** The typed door, relative references too. */
const url: Target = ({ core, chance, seeds, digest }) => () => {
  const input = makeUrl(chance, seeds);
  const base = chance.below(3) === 0 ? makeUrl(chance, seeds) : undefined;
  const facts = core.url(input, base);
  if ("error" in facts) digest.text(facts.error);
  else {
    digest.text(facts.url);
    digest.text(facts.key);
    digest.text(facts.surt);
    digest.text(facts.host);
    digest.long(facts.fingerprint);
  }
  return { inputs: 1, bytes: input.length + (base?.length ?? 0) };
};

/** The raw door's batches. */
const urls: Target = ({ core, chance, seeds, digest }) => () => {
  const inputs = Array.from({ length: BATCH }, () => makeUrl(chance, seeds));
  const batch = core.urls(inputs);
  let bytes = 0;
  for (let i = 0; i < BATCH; i++) {
    digest.text(batch.ok(i) ? batch.key(i) : batch.why(i));
    bytes += inputs[i]!.length;
  }
  digest.bytes(new Uint8Array(batch.fingerprints.buffer, batch.fingerprints.byteOffset, BATCH * 8));
  return { inputs: BATCH, bytes };
};

/** SURTs of a batch. */
const surts: Target = ({ core, chance, seeds, digest }) => () => {
  const inputs = Array.from({ length: BATCH }, () => makeUrl(chance, seeds));
  for (const surt of core.surts(inputs)) digest.text(surt);
  return { inputs: BATCH, bytes: inputs.reduce((sum, input) => sum + input.length, 0) };
};

function addFacts(digest: Digest, facts: PageFacts): void {
  for (const link of facts.links) {
    digest.text(link.url);
    digest.text(link.raw);
    digest.text(`${link.kind} ${link.rel} ${link.hreflang ?? ""} ${link.text ?? ""}`);
  }
  digest.number(facts.outlinks({ skipNofollow: true }).length);
  digest.text(`${facts.base} ${facts.title} ${facts.lang} ${facts.charset} ${facts.canonical ?? ""}`);
  digest.number((facts.noindex ? 1 : 0) | (facts.nofollow ? 2 : 0) | (facts.truncated ? 4 : 0));
  digest.long(facts.simhash);
  digest.long(facts.textHash);
  digest.number(facts.textLength);
}

function scanTarget(alphabet: 128 | 256, contentType: (chance: Chance) => string | undefined): Target {
  return ({ core, chance, seeds, digest }) => {
    const room = new Uint8Array(MAX_BYTES);
    return () => {
      const length = makePage(chance, seeds, room, alphabet);
      const type = contentType(chance);
      const how = chance.below(16);
      const facts = core.scan(room.subarray(0, length), {
        url: chance.below(20) === 0 ? makeUrl(chance, seeds) : "http://page.example/d/p?q",
        embeds: (how & 1) !== 0,
        forms: (how & 2) !== 0,
        text: (how & 4) === 0,
        anchorText: (how & 8) !== 0,
        productToken: "me",
        ...(type === undefined ? {} : { contentType: type }),
      });
      // A page of 4 KB passes no bound: this is what is left of one that trapped.
      if (facts.truncated) throw new Error("The scan gave the page up; all of its facts were wanted.");
      addFacts(digest, facts);
      return { inputs: 1, bytes: length };
    };
  };
}

/** Pages that say UTF-8, and are. */
const scan = scanTarget(128, () => "text/html; charset=utf-8");
/** Pages in every charset, declared or not; as XHTML now and then. */
const charsets = scanTarget(256, (chance) => {
  const charset = chance.pick(CHARSETS);
  const type = chance.below(4) === 0 ? "application/xhtml+xml" : "text/html";
  return charset === "none" ? undefined : `${type}; charset=${charset}`;
});

const simhash: Target = ({ core, chance, seeds, digest }) => {
  const room = new Uint8Array(MAX_BYTES);
  return () => {
    const length = makePage(chance, seeds, room, 256);
    digest.long(core.simhash(room.subarray(0, length)));
    return { inputs: 1, bytes: length };
  };
};

const xxh64: Target = ({ core, chance, seeds, digest }) => {
  const room = new Uint8Array(MAX_BYTES);
  return () => {
    const length = makePage(chance, seeds, room, 256);
    digest.long(core.xxh64(room.subarray(0, length)));
    return { inputs: 1, bytes: length };
  };
};

/** The tokenizer's own output, which the conformance tests read, from each of its first states. */
const tokens: Target = ({ doors, chance, seeds, digest }) => {
  const room = new Uint8Array(MAX_BYTES);
  const raw = doors.fresh();
  const names = ["", "title", "script", "style"].map((name) => new TextEncoder().encode(name));
  return () => {
    const length = makePage(chance, seeds, room, 128);
    const name = chance.pick(names);
    put(raw, BUFFER.input3, name);
    put(raw, BUFFER.htmlPage, room.subarray(0, length));
    const at = raw.raw_tokens(length, chance.below(STATES), name.length) >>> 0;
    digest.bytes(new Uint8Array(raw.memory.buffer, at, raw.raw_tokensLength()));
    return { inputs: 1, bytes: length };
  };
};

export const TARGETS: Readonly<Record<string, Target>> = {
  url,
  urls,
  surts,
  scan,
  tokens,
  charsets,
  simhash,
  xxh64,
  ...CHARSET_TARGETS,
  ...COMPONENT_TARGETS,
  ...FILTER_TARGETS,
  ...NEAR_TARGETS,
  ...TEXT_TARGETS,
};
