/**
 * What runs inside the listing thread; see listing_thread.ts.
 */

import type { ListingReader } from "../coordinator/page_ports.ts";
import { openLibsqlReader } from "../coordinator/store/libsql_listings.ts";
import { type Channel, openCalls } from "../runtime/calls.ts";
import { systemClock } from "../runtime/node.ts";
import { giveWay } from "../runtime/thread_priority.ts";
import { LISTING_CALLS, type ListingCall } from "./listing_thread.ts";

giveWay();

const readers = new Map<string, ListingReader>();

function readerOf(location: string): ListingReader {
  let reader = readers.get(location);
  if (reader === undefined) readers.set(location, reader = openLibsqlReader({ location, clock: systemClock }));
  return reader;
}

openCalls(
  globalThis as unknown as Channel,
  Object.fromEntries(LISTING_CALLS.map((name) => [name, ({ location, args }: ListingCall) => {
    const reader = readerOf(location);
    if (name === "close") readers.delete(location);
    return (reader[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
  }])),
);
