/**
 * Adds a shard to the directory.
 * Invariant: its database is empty. One that has a shard may be of this very frontier under another name (a link, another
 * spelling of a server's address): slots would be handed over to the database that they are in, and deleted there.
 */

import type { DirectoryStore } from "../../owner_ports.ts";
import type { ShardReader } from "../../reader_ports.ts";
import { UnfitDatabase } from "../../slot_ports.ts";

/** The shard's index; that of a location which the directory has is what it was. */
export async function addNewShard(
  location: string,
  { directory, openReader }: {
    readonly directory: DirectoryStore;
    readonly openReader: (location: string) => Pick<ShardReader, "look" | "close">;
  },
): Promise<number> {
  const { locations } = await directory.read();
  if (!locations.includes(location)) await checkEmpty(location, openReader(location));
  const shard = await directory.addShard(location);
  await directory.spread(true);
  return shard;
}

async function checkEmpty(location: string, reader: Pick<ShardReader, "look" | "close">): Promise<void> {
  try {
    const look = await reader.look().catch((error) => {
      throw new UnfitDatabase(`Adding ${location} as a shard: ${(error as Error).message} Wanted an empty database.`);
    });
    if (look === undefined || look.ownerTerm === 0) return;
    throw new UnfitDatabase(
      `Adding ${location} as a shard: found a database that has had owners (owner term ${look.ownerTerm}), maybe of ` +
        "this frontier under another name; wanted an empty one, or the name that GET /v1/shards shows.",
    );
  } finally {
    await reader.close();
  }
}
