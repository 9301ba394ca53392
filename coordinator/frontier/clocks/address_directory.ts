/**
 * Which slot and shard own an address, and whether its clock counts at all.
 * Invariant: pure in the address' group, the slot map and the list of exempt ranges; the memory is bounded.
 */

import type { Core } from "../../../core-wasm/core.ts";
import { contains, parseAddress, parseCidr, shardOf, type SlotMap, slotOf } from "../../../protocol/mod.ts";

export interface AddressPlace {
  readonly slot: number;
  readonly shard: number;
  /** A CDN's front: its address stands for many machines, so it has no clock. */
  readonly isExempt: boolean;
}

const REMEMBERED_ADDRESSES = 100_000;

export class AddressDirectory {
  readonly #core: Pick<Core, "xxh64">;
  readonly #slots: { readonly map: SlotMap };
  #version: number;
  readonly #exempt: (bytes: Uint8Array) => boolean;
  readonly #places = new Map<string, AddressPlace>();
  readonly #utf8 = new TextEncoder();

  /** `exempt`: CIDR ranges. Throws a sentence when one of them can't be read. */
  constructor(core: Pick<Core, "xxh64">, slots: { readonly map: SlotMap }, exempt: readonly string[]) {
    this.#core = core;
    this.#slots = slots;
    this.#version = slots.map.version;
    const ranges = exempt.map(parseCidr);
    this.#exempt = (bytes) => ranges.some((range) => contains(range, bytes));
  }

  /** `group` is what addressGroup gave. */
  placeOf(group: string): AddressPlace {
    const { map } = this.#slots;
    if (map.version !== this.#version) {
      this.#version = map.version;
      this.#places.clear();
    }
    const known = this.#places.get(group);
    if (known !== undefined) return known;
    const slot = slotOf(this.#core.xxh64(this.#utf8.encode(group)));
    const bytes = parseAddress(group.split("/", 1)[0]!);
    const isExempt = bytes !== undefined && this.#exempt(bytes);
    const place = { slot, shard: shardOf(map, slot), isExempt };
    if (this.#places.size >= REMEMBERED_ADDRESSES) this.#places.clear();
    this.#places.set(group, place);
    return place;
  }
}
