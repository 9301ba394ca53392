/**
 * The directory in RAM: the executable specification of DirectoryStore.
 * Invariant: a write that is repeated changes nothing; the slot map only grows in version.
 */

import type { CoordinatorEntry, DirectoryStore, DirectoryView, SlotMove } from "../owner_ports.ts";
import { evenSlotMap, shardOf, type SlotMap, withSlot } from "../../protocol/mod.ts";
import { noSuchMove, ownersOf } from "./directory_view.ts";

/** What a crash leaves. */
export class MemoryDirectoryDisk {
  changes = 0;
  map: SlotMap = { version: 0, shards: 0, runs: [] };
  secret = "";
  readonly locations: string[] = [];
  readonly coordinators = new Map<string, CoordinatorEntry>();
  readonly moves = new Map<number, SlotMove>();
  spreading = false;
}

export class MemoryDirectoryStore implements DirectoryStore {
  readonly #disk: MemoryDirectoryDisk;

  constructor(disk: MemoryDirectoryDisk = new MemoryDirectoryDisk()) {
    this.#disk = disk;
  }

  async read(): Promise<DirectoryView> {
    const { changes, map, locations, coordinators, moves, spreading } = this.#disk;
    const entries = [...coordinators.values()].sort((a, b) => a.id < b.id ? -1 : 1);
    return {
      changes,
      slotMap: { ...map, owners: ownersOf(map.shards, entries) },
      locations: [...locations],
      coordinators: entries,
      moves: [...moves.values()].sort((a, b) => a.slot - b.slot),
      spreading,
    };
  }

  async found(locations: readonly string[]): Promise<void> {
    const disk = this.#disk;
    if (disk.locations.length > 0) return;
    disk.locations.push(...locations);
    disk.map = evenSlotMap(locations.length);
    disk.changes++;
  }

  async announce(entry: CoordinatorEntry): Promise<void> {
    const { coordinators } = this.#disk;
    if (entry.beat > (coordinators.get(entry.id)?.beat ?? -1)) coordinators.set(entry.id, entry);
  }

  async withdraw(id: string): Promise<void> {
    this.#disk.coordinators.delete(id);
  }

  async addShard(location: string): Promise<number> {
    const disk = this.#disk;
    const known = disk.locations.indexOf(location);
    if (known >= 0) return known;
    disk.locations.push(location);
    disk.map = { ...disk.map, version: disk.map.version + 1, shards: disk.locations.length };
    disk.changes++;
    return disk.locations.length - 1;
  }

  async beginMove({ slot, from, to }: Omit<SlotMove, "state">): Promise<boolean> {
    const disk = this.#disk;
    const known = disk.moves.get(slot);
    if (known !== undefined) return known.from === from && known.to === to && known.state === "freezing";
    if (from === to || to >= disk.map.shards || shardOf(disk.map, slot) !== from) return false;
    disk.moves.set(slot, { slot, from, to, state: "freezing" });
    disk.changes++;
    return true;
  }

  async spread(isWanted: boolean): Promise<void> {
    if (this.#disk.spreading === isWanted) return;
    this.#disk.spreading = isWanted;
    this.#disk.changes++;
  }

  async markDrained(slot: number): Promise<void> {
    const move = this.#disk.moves.get(slot);
    if (move?.state !== "freezing") return;
    this.#disk.moves.set(slot, { ...move, state: "drained" });
    this.#disk.changes++;
  }

  async finishCopy(slot: number): Promise<SlotMap> {
    const disk = this.#disk;
    const move = disk.moves.get(slot);
    if (move?.state === "drained") {
      disk.moves.set(slot, { ...move, state: "copied" });
      disk.map = withSlot(disk.map, slot, move.to);
      disk.changes++;
    } else if (move?.state !== "copied") throw noSuchMove(slot, move?.state);
    return (await this.read()).slotMap;
  }

  async endMove(slot: number): Promise<void> {
    if (this.#disk.moves.get(slot)?.state !== "copied") return;
    this.#disk.moves.delete(slot);
    this.#disk.changes++;
  }

  async bump(): Promise<void> {
    this.#disk.changes++;
  }

  async secret(proposal: string): Promise<string> {
    this.#disk.secret ||= proposal;
    return this.#disk.secret;
  }
}
