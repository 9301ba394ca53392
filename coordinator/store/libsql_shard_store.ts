/**
 * ShardStore on libSQL: a `frontier-<shard>.db` file in the data folder, or a database on a server.
 * Invariant: RAM here (names) holds only what a commit made durable; a commit that fails, or whose end is
 * unknown, empties it.
 *
 * On a file every call runs to its end before it returns, and its native memory is freed only between macrotasks: a
 * caller that commits or reads in a loop must yield one per turn (`clock.sleep(0)`), or memory grows without bound.
 */

import type { Clock } from "../../runtime/ports.ts";
import type { ListingReader } from "../page_ports.ts";
import type { Batch, ShardStore } from "../ports.ts";
import { type Database, isUrl, type Statement } from "./libsql_client.ts";
import { isUncertain, pause, TRIES } from "./libsql_repeat.ts";
import { commitStatements } from "./libsql_commit.ts";
import { explained } from "./libsql_errors.ts";
import { listingsOf } from "./libsql_listings.ts";
import { loadShard } from "./libsql_load.ts";
import { Names } from "./libsql_names.ts";
import { closeCleanly, connectChecked, type OpenOptions, prepare } from "./libsql_open.ts";
import { beat, checkVersions, giveBack, refusal, shardLayout, takeOver, takeOwnership } from "./libsql_owner.ts";
import {
  readBody,
  readOutbox,
  readOutboxRows,
  readReady,
  readReceived,
  readUrls,
  readWaiting,
} from "./libsql_reads.ts";
import { readEarlierCaptures, readSettled } from "./libsql_recrawl.ts";
import { readSeenBlocks, readSeenLog, readSeenPart, readSeenState } from "./libsql_seen.ts";
import { readSlotMarks, readSlotPage, readSlotQueues } from "./libsql_slots.ts";

export interface LibsqlShardOptions extends OpenOptions {
  readonly clock: Clock;
  /** Opens listings over a connection in another thread; absent = they are read over the connection that commits. */
  readonly reader?: (location: string) => ListingReader;
}

/** An open shard. */
interface Session {
  readonly listings: ListingReader;
  readonly database: Database;
  readonly names: Names;
  readonly ownerTerm: number;
}

/** The crawls that `batch` mentions. */
function crawlsOf(batch: Batch): Set<string> {
  const out = new Set<string>();
  for (const { crawlId } of batch.newUrls) out.add(crawlId);
  for (const { crawlId } of batch.counters) out.add(crawlId);
  return out;
}

async function apply(session: Session, batch: Batch): Promise<void> {
  const { database, names, ownerTerm } = session;
  try {
    const numbering = await names.number(crawlsOf(batch), batch.newUrls);
    const mark = crypto.randomUUID();
    await writeOnce(database, mark, commitStatements(batch, { ownerTerm, mark }, numbering));
    names.remember(numbering);
  } catch (error) {
    names.forget();
    throw await explained("Committing to", database, () => refusal(database, ownerTerm, batch.batchSeq, error));
  }
}

/**
 * On a server an answer can be lost, and HTTP clients send a request again by themselves when a connection breaks: so a
 * refusal may be that of the second copy. After any error it is looked up whether the batch was done, by its mark, as
 * another batch may have its number. If it wasn't, and nobody knows why, it is sent again; the guard lets one copy through.
 */
async function writeOnce(database: Database, mark: string, statements: readonly Statement[]): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      await database.write(statements);
      return;
    } catch (error) {
      if (database.path !== undefined) throw error;
      const [row] = await database.read("select batch_mark from shard");
      if (row?.[0] === mark) return;
      if (tries >= TRIES || !isUncertain(error)) throw error;
      await pause(tries);
    }
  }
}

interface Taker {
  readonly owner: string;
  readonly keyVersion: number;
  /** The owner term that is to be taken over; undefined = whichever there is. */
  readonly overTerm: number | undefined;
}

async function openSession(options: LibsqlShardOptions, { owner, keyVersion, overTerm }: Taker): Promise<Session> {
  const database = connectChecked(options);
  try {
    await prepare(database, shardLayout(keyVersion), options);
    return await explained("Opening", database, async () => {
      await checkVersions(database, keyVersion);
      const ownerTerm = overTerm === undefined
        ? await takeOwnership(database, owner)
        : await takeOver(database, owner, overTerm);
      const reader = isUrl(options.location) ? undefined : options.reader?.(options.location);
      const listings = reader ?? { ...listingsOf(database), close: async () => {} };
      return { database, names: new Names(database), ownerTerm, listings };
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The store of one shard; it touches nothing before `open`. All rejections are sentences that name the database. */
export function openLibsqlShardStore(options: LibsqlShardOptions): ShardStore {
  let session: Session | undefined;
  const now = (): Session => {
    if (session) return session;
    throw new Error(`Using ${options.location} failed: the store is not open; open it first.`);
  };
  const reading = <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const current = now();
    return explained("Reading", current.database, () => work(current));
  };
  return {
    async open(owner, keyVersion, overTerm) {
      await session?.listings.close();
      session?.database.close();
      session = undefined;
      session = await openSession(options, { owner, keyVersion, overTerm });
      return { ownerTerm: session.ownerTerm };
    },
    async beat(wallMs) {
      const { database, ownerTerm } = now();
      await explained("Beating in", database, () => beat(database, ownerTerm, wallMs));
    },
    async giveBack() {
      const { database, ownerTerm } = now();
      await explained("Giving back", database, () => giveBack(database, ownerTerm));
    },
    load: () => reading(({ database }) => loadShard({ database, clock: options.clock })),
    commit: async (batch) => await apply(now(), batch),
    lastBatchSeq: () =>
      reading(async ({ database }) => Number((await database.read("select batch_seq from shard"))[0]![0])),
    readReady: (queue, after, limit) => reading(({ database }) => readReady(database, queue, after, limit)),
    readWaiting: (queue, until, limit) => reading(({ database }) => readWaiting(database, queue, until, limit)),
    urls: (keys) => reading(({ database, names }) => readUrls(database, names, keys)),
    receivedBefore: (rows) => reading(({ database }) => readReceived(database, rows)),
    readOutbox: (limit) => reading(({ database }) => readOutbox(database, limit)),
    outboxRows: (names) => reading(({ database }) => readOutboxRows(database, names)),
    robotsBody: (digest) => reading(({ database }) => readBody(database, digest)),
    captures: (prefix, afterSeq, limit) => reading(({ listings }) => listings.captures(prefix, afterSeq, limit)),
    capturesOfContent: (hash, limit) => reading(({ listings }) => listings.capturesOfContent(hash, limit)),
    readyBefore: (queue, place, limit) => reading(({ listings }) => listings.readyBefore(queue, place, limit)),
    lookUp: (keys) => reading(({ listings }) => listings.lookUp(keys)),
    readSettled: (crawlId, from, limit) => reading(({ database }) => readSettled(database, crawlId, from, limit)),
    earlierCaptures: (names) => reading(({ database }) => readEarlierCaptures(database, names)),
    seenState: () => reading(({ database }) => readSeenState(database)),
    seenLog: (batchSeq, limit) => reading(({ database }) => readSeenLog(database, batchSeq, limit)),
    seenBlocks: (ids) => reading(({ database }) => readSeenBlocks(database, ids)),
    seenPart: (part) => reading(({ database }) => readSeenPart(database, part)),
    slotMarks: () => reading(({ database }) => readSlotMarks(database)),
    slotPage: (slot, cursor, limit) => reading(({ database }) => readSlotPage(database, slot, cursor, limit)),
    slotQueues: (slot) => reading(({ database }) => readSlotQueues(database, slot)),
    async close() {
      const closing = session;
      session = undefined;
      await closing?.listings.close();
      if (closing) await closeCleanly(closing.database);
    },
  };
}
