/**
 * The shards that this process owns now, and the slot map.
 * Invariant: what isn't in it is another coordinator's, or nobody's: it is refused with the map, never guessed. Who
 * remembers places by the map forgets them when its version is another.
 */

import { evenSlotMap, mergedMap, shardOf, SLOT_COUNT, type SlotMap } from "../../protocol/mod.ts";
import { NotOwned } from "../owner_ports.ts";
import { SlotMoving } from "../slot_ports.ts";
import type { Shard } from "./shard.ts";
import type { ShardWriter } from "./writer.ts";

export class ShardBook {
  readonly #byIndex: (ShardWriter | undefined)[] = [];
  readonly #shards: (Shard | undefined)[];
  #own: readonly ShardWriter[] = [];
  #map: SlotMap;
  #holds = 0;

  /** `shards`: see FrontierParts; one that isn't owned any more leaves it. */
  constructor(count: number, shards: (Shard | undefined)[] = []) {
    // Where nothing is known yet, any map is newer.
    this.#map = evenSlotMap(count, count === 0 ? 0 : 1);
    this.#shards = shards;
  }

  get map(): SlotMap {
    return this.#map;
  }

  /** Takes what is newer of it. */
  learn(map: SlotMap): void {
    this.#map = mergedMap(this.#map, map);
  }

  /** How many there are, owned or not. */
  get count(): number {
    return this.#map.shards;
  }

  /** Those owned, by index. */
  get own(): readonly ShardWriter[] {
    return this.#own;
  }

  get ownsAll(): boolean {
    return this.#own.length === this.count;
  }

  put(index: number, writer: ShardWriter | undefined): void {
    this.#byIndex[index] = writer;
    this.#own = this.#byIndex.filter((some) => some !== undefined);
    if (writer !== undefined) return;
    delete this.#shards[index];
    // Nobody tells any more when its addresses have room.
    for (const { shard } of this.#own) shard.parkedAtAddress.openedAll();
  }

  find(index: number): ShardWriter | undefined {
    return this.#byIndex[index];
  }

  /** Throws NotOwned. */
  get(index: number): ShardWriter {
    const found = this.#byIndex[index];
    if (found === undefined) throw new NotOwned(index, this.#map);
    return found;
  }

  /** The writer of what is to be changed. Throws NotOwned, or SlotMoving while the slot is on its way. */
  forChange({ shard, slot }: { readonly shard: number; readonly slot: number }): ShardWriter {
    const writer = this.get(shard);
    if (writer.shard.marks.has(slot)) throw new SlotMoving(slot);
    return writer;
  }

  /** Work on rows of any slot. Rejects with SlotMoving while one is on its way; none begins to move before it is done. */
  async whileStill<T>(work: () => Promise<T>): Promise<T> {
    for (const { shard } of this.own) {
      for (const { slot, state } of shard.marks.all()) if (state !== "left") throw new SlotMoving(slot);
    }
    this.#holds++;
    try {
      return await work();
    } finally {
      this.#holds--;
    }
  }

  /** Slots may begin to move. */
  get mayMove(): boolean {
    return this.#holds === 0;
  }

  /** The writer of a slot; undefined for what is no slot. Throws NotOwned. */
  ofSlot(slot: number): ShardWriter | undefined {
    const isSlot = Number.isInteger(slot) && slot >= 0 && slot < SLOT_COUNT;
    return isSlot ? this.get(shardOf(this.#map, slot)) : undefined;
  }
}
