/**
 * How a contract test of the shard store gets its store.
 * Invariant: each test has data of its own, and what it opened is closed and removed.
 */

import type { ShardStore } from "../../coordinator/ports.ts";
import type { ShardReader } from "../../coordinator/reader_ports.ts";
import { test } from "../support/test.ts";

/** One shard's data, and handles on it. */
export interface ShardShelf {
  /** A new, unopened handle on the same data, as another process would have it. */
  handle(): ShardStore;
  /** A look at the same data by who doesn't own it. */
  reader(): ShardReader;
  remove(): Promise<void>;
}

type Body = (store: ShardStore, shelf: ShardShelf) => Promise<void>;

/** Declares tests that get an open store and its shelf. */
export function declarer(name: string, makeShelf: () => Promise<ShardShelf>): (title: string, body: Body) => void {
  return (title, body) =>
    test(`${name}: ${title}`, async () => {
      const shelf = await makeShelf();
      try {
        const store = shelf.handle();
        await store.open("first", 1);
        try {
          await body(store, shelf);
        } finally {
          await store.close();
        }
      } finally {
        await shelf.remove();
      }
    });
}

/** Closes `store` and opens the same data again. */
export async function reopened<T>(
  store: ShardStore,
  shelf: ShardShelf,
  work: (store: ShardStore) => Promise<T>,
): Promise<T> {
  await store.close();
  const next = shelf.handle();
  await next.open("second", 1);
  try {
    return await work(next);
  } finally {
    await next.close();
  }
}

export type It = ReturnType<typeof declarer>;
