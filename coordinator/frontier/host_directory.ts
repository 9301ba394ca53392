/**
 * Which registered domain, slot and shard a host belongs to, remembered for recently seen hosts.
 * Invariant: pure in the host's name and the slot map; the memory is bounded.
 */

import type { Core } from "../../core-wasm/core.ts";
import { type HostKey, hostKeyOf, shardOf, type SlotMap, slotOf } from "../../protocol/mod.ts";

export interface HostPlace {
  readonly host: HostKey;
  readonly domain: string;
  readonly slot: number;
  readonly shard: number;
  /** Upper 32 bits of the domain's hash, the slot in front: places the host's URLs in the seen-set. */
  readonly domainHash: number;
}

const REMEMBERED_HOSTS = 200_000;

export class HostDirectory {
  readonly #core: Pick<Core, "domainOf" | "xxh64">;
  readonly #slots: { readonly map: SlotMap };
  #version: number;
  readonly #places = new Map<string, HostPlace>();
  readonly #utf8 = new TextEncoder();

  constructor(core: Pick<Core, "domainOf" | "xxh64">, slots: { readonly map: SlotMap }) {
    this.#core = core;
    this.#slots = slots;
    this.#version = slots.map.version;
  }

  /** Slots may have moved. */
  #refresh(): void {
    const { version } = this.#slots.map;
    if (version === this.#version) return;
    this.#version = version;
    this.#places.clear();
  }

  /** Only if it is remembered; never calls the core. */
  remembered(hostname: string): HostPlace | undefined {
    this.#refresh();
    return this.#places.get(hostname);
  }

  /** Of a hostname as a URL has it. */
  placeOf(hostname: string): HostPlace {
    const known = this.remembered(hostname);
    if (known !== undefined) return known;
    const host = hostKeyOf(hostname);
    const domain = this.#core.domainOf(host);
    const hash = this.#core.xxh64(this.#utf8.encode(domain));
    const slot = slotOf(hash);
    const place = { host, domain, slot, shard: shardOf(this.#slots.map, slot), domainHash: Number(hash >> 32n) };
    if (this.#places.size >= REMEMBERED_HOSTS) this.#places.clear();
    this.#places.set(hostname, place);
    return place;
  }
}
