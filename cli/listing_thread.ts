/**
 * Listings of a coordinator's shards in a thread of their own, so that whoever lists millions of rows keeps no commit waiting.
 * Invariant: one thread for all shards, begun with the first listing; what a closed reader is asked is refused.
 */

import type { ListingReader } from "../coordinator/page_ports.ts";
import { groupedLookUps } from "../coordinator/store/grouped_lookups.ts";
import { type Calls, type Channel, openCalls } from "../runtime/calls.ts";

/** Names of the calls: methods of ListingReader. */
export const LISTING_CALLS = [
  "captures",
  "capturesOfContent",
  "readyBefore",
  "lookUp",
  "close",
] as const satisfies readonly (
  keyof ListingReader
)[];

export interface ListingCall {
  /** The database file. */
  readonly location: string;
  readonly args: readonly unknown[];
}

export interface ListingThread {
  /** A reader of one shard's database, which a store has opened already. */
  reader(location: string): ListingReader;
  close(): void;
}

interface Running {
  readonly worker: Worker;
  readonly calls: Calls;
}

export function listingThread(): ListingThread {
  let running: Running | undefined;
  const call = <T>(name: string, location: string, args: readonly unknown[]): Promise<T> => {
    running ??= start((sentence) => {
      running?.calls.close(sentence);
      running?.worker.terminate();
      // The next listing begins another.
      running = undefined;
    });
    return running.calls.call<T>(name, { location, args } satisfies ListingCall);
  };
  return {
    reader: (location) => ({
      captures: (...args) => call("captures", location, args),
      capturesOfContent: (...args) => call("capturesOfContent", location, args),
      readyBefore: (...args) => call("readyBefore", location, args),
      lookUp: groupedLookUps((...args) => call("lookUp", location, args)),
      close: async () => running && await call<void>("close", location, []),
    }),
    close() {
      running?.calls.close("Listing failed: the coordinator closes.");
      running?.worker.terminate();
      running = undefined;
    },
  };
}

function start(failed: (sentence: string) => void): Running {
  const worker = new Worker(new URL("./listing_thread_main.ts", import.meta.url), { type: "module" });
  const calls = openCalls(worker as Channel, {});
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    failed(`Listing failed: its thread ended (${event.message}); ask again.`);
  });
  return { worker, calls };
}
