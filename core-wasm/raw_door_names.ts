/**
 * The names of the raw doors' exports, to tell a core that was built from other sources before it is called.
 * Invariant: as many as the interfaces have; the compiler says so.
 */

import type { FilterDoor, RawDoor } from "./instance.ts";

const FILTER: Readonly<Record<keyof FilterDoor, true>> = {
  memory: true,
  raw_reserve: true,
  raw_guards: true,
  raw_xxh64: true,
  raw_filterOpen: true,
  raw_filterAdd: true,
  raw_filterHas: true,
  raw_filterFresh: true,
  raw_filterPtr: true,
  raw_filterBlocks: true,
  raw_filterRestore: true,
};

const RAW: Readonly<Record<keyof RawDoor, true>> = {
  ...FILTER,
  raw_steps: true,
  raw_pages: true,
  raw_nearOpen: true,
  raw_nearAdd: true,
  raw_nearNearest: true,
  raw_nearAll: true,
  raw_nearAnswers: true,
  raw_nearCount: true,
  raw_nearSettled: true,
  raw_nearLoad: true,
  raw_unitEnds: true,
  raw_urls: true,
  raw_urlRows: true,
  raw_surts: true,
  raw_surtText: true,
  raw_text: true,
  raw_textBytes: true,
  raw_scan: true,
  raw_utf8: true,
  raw_sevenBit: true,
  raw_mostlyUtf8: true,
  raw_decode: true,
  raw_decodeErrors: true,
  raw_beyondAscii: true,
  raw_encode: true,
  raw_detect: true,
  raw_simhash: true,
  raw_tokens: true,
  raw_tokensLength: true,
};

export type Door = "core" | "filter";

/** What the module lacks of that door's exports. */
export function lackingExports(door: Door, module: WebAssembly.Module): string[] {
  const has = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  return Object.keys(door === "core" ? RAW : FILTER).filter((name) => !has.has(name));
}
