/**
 * What operators see of shards and slots, and ask of them.
 * Invariant: what is answered is in the directory; who owns the shards does it.
 */

import type { DirectoryStore } from "../../owner_ports.ts";
import { shardOf, SLOT_COUNT } from "../../../protocol/mod.ts";
import type { MoveAnswer, ShardAdmin, ShardsView } from "../../slot_ports.ts";
import type { ShardReader } from "../../reader_ports.ts";
import type { ShardBook } from "../shard_book.ts";
import { addNewShard } from "./new_shard.ts";
import { giantOf, slotsPerShard, urlsPerSlot } from "./spread.ts";

export class ShardDesk implements ShardAdmin {
  readonly #directory: DirectoryStore;
  readonly #openReader: (location: string) => ShardReader;
  readonly #book: Pick<ShardBook, "find">;

  constructor(
    { directory, openReader }: {
      readonly directory: DirectoryStore;
      readonly openReader: (location: string) => ShardReader;
    },
    book: Pick<ShardBook, "find">,
  ) {
    this.#directory = directory;
    this.#openReader = openReader;
    this.#book = book;
  }

  async shards(): Promise<ShardsView> {
    const { slotMap, locations, moves, spreading } = await this.#directory.read();
    const slots = slotsPerShard(slotMap);
    return {
      mapVersion: slotMap.version,
      spreading,
      moves,
      shards: locations.map((location, shard) => ({
        shard,
        location,
        ownerUrl: slotMap.owners?.[shard]?.url ?? "",
        slots: slots[shard] ?? 0,
        ...this.#content(shard),
      })),
    };
  }

  #content(index: number): Pick<ShardsView["shards"][number], "urls" | "giant"> {
    const shard = this.#book.find(index)?.shard;
    if (shard === undefined) return {};
    const urlsOfSlot = urlsPerSlot(shard);
    const giant = giantOf(urlsOfSlot);
    const urls = [...urlsOfSlot.values()].reduce((sum, count) => sum + count, 0);
    return { urls, ...(giant === undefined ? {} : { giant }) };
  }

  addShard(location: string): Promise<number> {
    return addNewShard(location, { directory: this.#directory, openReader: this.#openReader });
  }

  async moveSlot(slot: number, to: number): Promise<MoveAnswer> {
    const { slotMap, moves } = await this.#directory.read();
    if (!Number.isInteger(slot) || slot < 0 || slot >= SLOT_COUNT || to >= slotMap.shards) return { status: "unknown" };
    const from = shardOf(slotMap, slot);
    const known = moves.find((move) => move.slot === slot);
    if (known !== undefined && known.to !== to) return { status: "moving", to: known.to };
    if (from === to) return { status: "there" };
    // Where someone says where a slot belongs, it stays.
    await this.#directory.spread(false);
    return await this.#directory.beginMove({ slot, from, to }) ? { status: "begun", from } : { status: "moving", to };
  }
}
