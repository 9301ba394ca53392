/**
 * One slot of a shard in RAM: the specification of what libsql_slots.ts does.
 * Invariant: pages are in the order of the keys, and a page goes on where the one before ended.
 */

import type { BackQueueSummary } from "../ports.ts";
import { EMPTY_PAGE, SLOT_TABLES, type SlotCursor, type SlotPage, type SlotWrites } from "../slot_ports.ts";
import type { MemoryShardDisk } from "./memory_shard_store.ts";

type Table = Exclude<SlotCursor["table"], "end">;

/** Key parts in order; numbers are padded, so that they sort as text. */
type Keyed<T> = readonly [key: readonly string[], row: T];

const padded = (value: bigint | number) => String(value).padStart(20, "0");

function rowsOf(disk: MemoryShardDisk, table: Table, slot: number): Keyed<unknown>[] {
  const ofSlot = <T extends { readonly slot: number }>(rows: Iterable<T>, key: (row: T) => string[]): Keyed<T>[] =>
    [...rows].filter((row) => row.slot === slot).map((row) => [key(row), row]);
  switch (table) {
    case "url":
      return ofSlot([...disk.urls.values()].flatMap((rows) => [...rows.values()]), (row) => [
        row.crawlId,
        padded(row.fingerprint),
      ]);
    case "host":
      return ofSlot(disk.hosts.values(), (row) => [row.host]);
    case "origin":
      return ofSlot(disk.origins.values(), (row) => [row.origin]);
    case "domain":
      return ofSlot(disk.domains.values(), (row) => [row.domain]);
    case "address":
      return ofSlot(disk.addresses.values(), (row) => [row.address]);
    case "tally":
      return ofSlot(disk.tallies.values(), (row) => [row.crawlId, row.host]).filter(([, row]) => row.host !== "");
    case "received":
      return ofSlot(disk.received.values(), (row) => [row.leaseId, padded(row.seq)]);
  }
}

function isAfter(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return a[i]! > b[i]!;
  return b.length === 0;
}

const NAMES = {
  url: "urls",
  host: "hosts",
  origin: "origins",
  domain: "domains",
  address: "addresses",
  tally: "tallies",
  received: "received",
} as const;

export function memorySlotPage(
  disk: MemoryShardDisk,
  slot: number,
  cursor: SlotCursor | undefined,
  limit: number,
): SlotPage {
  let at: SlotCursor = cursor ?? { table: SLOT_TABLES[0], after: [] };
  while (at.table !== "end") {
    const { table, after } = at;
    const rows = rowsOf(disk, table, slot).filter(([key]) => isAfter(key, after))
      .sort(([a], [b]) => isAfter(a, b) ? 1 : -1).slice(0, limit);
    const following: SlotCursor = { table: SLOT_TABLES[SLOT_TABLES.indexOf(table) + 1]!, after: [] };
    if (rows.length > 0) {
      const page = { ...EMPTY_PAGE, [NAMES[table]]: rows.map(([, row]) => row) } as Omit<SlotPage, "next">;
      const digests = new Set(page.origins.flatMap(({ digest, lastGoodDigest }) => [digest, lastGoodDigest]));
      const robotsBodies = [...digests].flatMap((digest) => {
        const body = disk.robotsBodies.get(digest);
        return body === undefined ? [] : [{ digest, body }];
      });
      return { ...page, robotsBodies, next: rows.length < limit ? following : { table, after: rows.at(-1)![0] } };
    }
    at = following;
  }
  return { ...EMPTY_PAGE, next: at };
}

/** Part of a commit. */
export function applySlotWrites(disk: MemoryShardDisk, { marks = [], endedMarks = [], deletion }: SlotWrites): void {
  for (const slot of endedMarks) disk.marks.delete(slot);
  for (const mark of marks) disk.marks.set(mark.slot, mark);
  if (deletion !== undefined) deleteRows(disk, deletion);
}

function deleteRows(disk: MemoryShardDisk, { slot, rows }: NonNullable<SlotWrites["deletion"]>): void {
  const urls = [...disk.urls.values()].flatMap((some) => [...some.values()]).filter((row) => row.slot === slot);
  for (const row of urls.slice(0, rows)) {
    disk.urls.get(row.crawlId)!.delete(row.fingerprint);
    if (row.state === "ready") disk.ready.remove(row);
    else if (row.state === "waiting") disk.waiting.remove(row);
    disk.urlCount--;
  }
  if (urls.length > rows) return;
  const drop = <K, T extends { readonly slot: number }>(
    table: Map<K, T>,
    isMeant: (row: T) => boolean = () => true,
  ) => {
    let left = rows;
    for (const [key, row] of table) {
      if (row.slot === slot && isMeant(row) && left-- > 0) table.delete(key);
    }
  };
  drop(disk.accepted);
  drop(disk.hosts);
  drop(disk.origins);
  drop(disk.domains);
  drop(disk.addresses);
  drop(disk.tallies, ({ host }) => host !== "");
  drop(disk.received);
}

export function memorySlotQueues(
  disk: MemoryShardDisk,
  slot: number,
  summaryOf: (queue: { slot: number; crawlId: string; host: string; count: number }) => BackQueueSummary,
): BackQueueSummary[] {
  return [...disk.accepted.values()].filter((queue) => queue.slot === slot).map(summaryOf);
}
