/**
 * The core of the crawler in WebAssembly: URLs, scanning, hashing, filters. `loadCore()` gives an instance; core.ts
 * says what it answers. Invariant: importing this file loads nothing.
 */

import { BUFFER, put } from "./buffers.ts";
import { decodeText, detectCharset, encodeText } from "./charset_text.ts";
import type { Core } from "./core.ts";
import { makeFilter, restoreFilter } from "./filter.ts";
import { CoreSlot, type FilterDoor } from "./instance.ts";
import { KEY_VERSION } from "./key_version.ts";
import { GrowingFilter, restoreLayers } from "./layered_filter.ts";
import { type Artefact, loadArtefact } from "./load.ts";
import { makeNearIndex, restoreNearIndex } from "./near_index.ts";
import { DEFAULT_PROFILE, rulesOf } from "./normalize_profile.ts";
import type { NormalizeProfile } from "./normalize_profile.ts";
import { RegisteredDomains } from "./registered_domain.ts";
import { scanPage } from "./scan.ts";
import { surtBatch, urlBatch } from "./url_batch.ts";
import { urlFacts } from "./url.ts";
import { fingerprintToHex } from "../protocol/ids.ts";
import { LIMITS } from "../protocol/limits.ts";

export type * from "./core.ts";
export { DEFAULT_PROFILE, GREEDY_PROFILE, NO_RULES, NORMALIZE_RULES } from "./normalize_profile.ts";
export type { NormalizeProfile, NormalizeRule, RuleFacts } from "./normalize_profile.ts";
export { makeSharedFilter, openSharedFilter } from "./shared_filter.ts";
export type { SharedFilter, SharedFilterHandle } from "./shared_filter.ts";

export interface CoreOptions {
  /** Rules that differ from the default ones. Keys made so belong to another world: never mix them. */
  readonly profile?: Partial<NormalizeProfile>;
}

/** A core of its own: its calls don't touch what another core answered. Takes tens of ms the first time. */
export async function loadCore(options: CoreOptions = {}): Promise<Core> {
  return coreOf(await loadArtefact(), options);
}

/** A core of another build of the same sources: for tests of it. */
export function coreOf(
  { bytes, module, instantiate, filterModule = module }: Artefact,
  options: CoreOptions = {},
): Core {
  const slot = new CoreSlot(module, instantiate);
  const xxh64 = (content: Uint8Array) =>
    slot.run(({ raw }) => BigInt.asUintN(64, raw.raw_xxh64(put(raw, BUFFER.input, content), content.length)));
  const filterDoor = () => new WebAssembly.Instance(filterModule, {}).exports as unknown as FilterDoor;
  const encoder = new TextEncoder();
  const domains = new RegisteredDomains((name) => xxh64(encoder.encode(name)));
  const rules = { maxBytes: LIMITS.urlBytes, rules: rulesOf({ ...DEFAULT_PROFILE, ...options.profile }) };
  return {
    keyVersion: KEY_VERSION,
    buildHash: fingerprintToHex(xxh64(bytes)),
    url: (input, base) => urlFacts(slot, domains, rules, { input, base }),
    urls: (inputs) => slot.run((instance) => urlBatch(instance, inputs, rules)),
    surts: (inputs) => slot.run((instance) => surtBatch(instance, inputs, rules)),
    domainOf: (host) => domains.of(host).name,
    xxh64,
    decode: (bytes, label) => decodeText(slot, bytes, label),
    encode: (text, label) => encodeText(slot, text, label),
    detect: (bytes) => detectCharset(slot, bytes),
    scan: (html, options) => scanPage(slot, html, options),
    simhash: (text) =>
      slot.run(({ raw }) => BigInt.asUintN(64, raw.raw_simhash(put(raw, BUFFER.input, text), text.length))),
    filter: (capacity) => makeFilter(filterDoor(), capacity),
    restoreFilter: (snapshot) => restoreFilter(filterDoor(), snapshot),
    layeredFilter: (sizes) => new GrowingFilter(filterDoor, sizes),
    restoreLayeredFilter: (snapshot, sizes) => restoreLayers(filterDoor, snapshot, sizes),
    nearIndex: (capacity) => makeNearIndex(slot.fresh(), capacity),
    restoreNearIndex: (snapshot) => restoreNearIndex(slot.fresh(), snapshot),
  };
}
