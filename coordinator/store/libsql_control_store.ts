/**
 * ControlStore on libSQL: `control.db` in the data folder, or a database on a server.
 * Invariant: each write is one statement whose repetition changes nothing, so it may be sent again after a lost answer.
 */

import type { ClusterStore } from "../owner_ports.ts";
import type { OperatorStore } from "../operator_ports.ts";
import type { ControlStore, CrawlRow } from "../ports.ts";
import type { Database } from "./libsql_client.ts";
import { explained } from "./libsql_errors.ts";
import { closeCleanly, connectChecked, type Layout, type OpenOptions, plain, prepare } from "./libsql_open.ts";
import { ALLOTMENT_TABLES, libsqlAllotments } from "./libsql_allotments.ts";
import { BUMP_IF_CHANGED, DIRECTORY_TABLES, libsqlDirectory } from "./libsql_directory.ts";
import { libsqlOperators, OPERATOR_TABLES } from "./libsql_operators.ts";
import { CONTROL_FORMAT, CONTROL_TABLES } from "./schema_control.ts";

/** How long an answer is given again under its idempotency key. */
const KEPT_MS = 24 * 3_600_000;

const LAYOUT: Layout = {
  mark: "control",
  what: "the control database",
  statements: [
    ...CONTROL_TABLES.map((sql) => plain(sql)),
    plain("insert or ignore into control (id, format) values (1, ?)", [BigInt(CONTROL_FORMAT)]),
  ],
};

async function checkFormat(database: Database): Promise<void> {
  const [row] = await database.read("select format from control");
  if (row && Number(row[0]) === CONTROL_FORMAT) return;
  throw new Error(
    `Opening ${database.place} failed: it has format ${row?.[0] ?? "none"}, and this version reads format ` +
      `${CONTROL_FORMAT}; use the version that wrote it, or name another data folder.`,
  );
}

async function openDatabase(options: OpenOptions): Promise<Database> {
  const database = connectChecked({ ...options, repeatsWrites: true });
  try {
    await prepare(database, LAYOUT, options);
    await explained("Opening", database, async () => {
      await checkFormat(database);
      await database.write([...OPERATOR_TABLES, ...DIRECTORY_TABLES, ...ALLOTMENT_TABLES].map((sql) => plain(sql)));
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const SQL = {
  crawls: "select facts from crawl order by id",
  newCrawl: "insert or ignore into crawl (crawl_id, facts) values (?1, ?2)",
  putCrawl: "update crawl set facts = ?2 where crawl_id = ?1 and facts->>'stateVersion' = ?3",
  crawl: "select facts from crawl where crawl_id = ?",
  answer: "select answer from idempotency where key = ? and given_at > ?",
  forget: "delete from idempotency where given_at <= ?",
  putAnswer: "insert or ignore into idempotency (key, answer, given_at) values (?, ?, ?)",
} as const;

/** Wall ms at or before which an answer is forgotten. */
function deadline(now: number): bigint {
  return BigInt(Math.floor(now - KEPT_MS));
}

/** The store touches nothing before `open`. All rejections are sentences that name the database. */
export function openLibsqlControlStore(options: OpenOptions): ControlStore & OperatorStore & ClusterStore {
  let opened: Database | undefined;
  const using = <T>(attempt: string, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = opened;
    if (database) return explained(attempt, database, () => work(database));
    return Promise.reject(new Error(`Using ${options.location} failed: the store is not open; open it first.`));
  };
  return {
    ...libsqlOperators(using),
    directory: libsqlDirectory(using),
    allotments: libsqlAllotments(using),
    async open() {
      opened?.close();
      opened = undefined;
      opened = await openDatabase(options);
    },
    crawls: () =>
      using(
        "Reading",
        async (database) => (await database.read(SQL.crawls)).map((row) => JSON.parse(String(row[0])) as CrawlRow),
      ),
    putCrawl: (crawl, over) =>
      using("Writing a crawl to", async (database) => {
        const [id, facts] = [crawl.crawlId, JSON.stringify(crawl)];
        const put = over === 0 ? plain(SQL.newCrawl, [id, facts]) : plain(SQL.putCrawl, [id, facts, BigInt(over)]);
        const answers = await database.write([put, plain(BUMP_IF_CHANGED), plain(SQL.crawl, [id])]);
        return answers[2]![0]?.[0] === facts;
      }),
    idempotent: (key, now) =>
      using("Reading", async (database) => {
        const [row] = await database.read(SQL.answer, [key, deadline(now)]);
        return row && String(row[0]);
      }),
    putIdempotent: (key, answer, now) =>
      using("Writing an answer to", async (database) => {
        const put = plain(SQL.putAnswer, [key, answer, BigInt(Math.floor(now))]);
        await database.write([plain(SQL.forget, [deadline(now)]), put]);
      }),
    async close() {
      const closing = opened;
      opened = undefined;
      if (closing) await closeCleanly(closing);
    },
  };
}
