/**
 * OperatorStore on libSQL: tables of the control database.
 * Invariant: each write is a batch whose repetition changes nothing, so it may be sent again after a lost answer.
 */

import type { AuditRow, OperatorStore, QuarantineRow, TokenRow } from "../operator_ports.ts";
import type { Database, SqlRow, Statement } from "./libsql_client.ts";
import { plain } from "./libsql_open.ts";

/** Made at every opening where they aren't there: a database of an earlier version gets them too. */
export const OPERATOR_TABLES: readonly string[] = [
  "create table if not exists token (seq integer primary key, id text not null unique, facts text not null)",
  `create table if not exists audit (seq integer primary key autoincrement, id text not null unique,
    at integer not null, status integer not null, facts text not null)`,
  "create index if not exists audit_age on audit (at)",
  "create table if not exists secret (name text primary key, value text not null)",
  "create table if not exists quarantine (name text primary key, facts text not null)",
];

/** Runs work on the open database; rejections are sentences. */
export type Using = <T>(attempt: string, work: (database: Database) => Promise<T>) => Promise<T>;

const SQL = {
  tokens: "select facts from token order by seq",
  putToken: `insert into token (id, facts) values (?, ?) on conflict (id) do update set facts = excluded.facts`,
  begin: `insert or ignore into audit (id, at, status, facts)
    select value->>'id', value->>'at', value->>'status', value from json_each(?)`,
  end: `update audit set status = e.value->>'status' from json_each(?) e where audit.id = e.value->>'id'`,
  trim: "delete from audit where seq <= (select max(seq) from audit) - ?",
  audit: "select seq, status, facts from audit where seq < ? order by seq desc limit ?",
  prune: "delete from audit where at < ? returning 1",
  newSecret: "insert or ignore into secret (name, value) values (?, ?)",
  secret: "select value from secret where name = ?",
  quarantines: "select facts from quarantine order by name",
  putQuarantine:
    "insert into quarantine (name, facts) values (?, ?) on conflict (name) do update set facts = excluded.facts",
} as const;

function auditRow(row: SqlRow): AuditRow {
  return { ...JSON.parse(String(row[2])), seq: Number(row[0]), status: Number(row[1]) };
}

async function read<T>(database: Database, sql: string): Promise<T[]> {
  return (await database.read(sql)).map((row) => JSON.parse(String(row[0])) as T);
}

export function libsqlOperators(using: Using): OperatorStore {
  const put = (attempt: string, statements: readonly Statement[]) =>
    using(attempt, async (database) => void await database.write(statements));
  return {
    tokens: () => using("Reading", (database) => read<TokenRow>(database, SQL.tokens)),
    putToken: (token) => put("Writing a token to", [plain(SQL.putToken, [token.id, JSON.stringify(token)])]),
    writeAudit: ({ begun, ended, most }) =>
      put("Writing the audit log to", [
        plain(SQL.begin, [JSON.stringify(begun)]),
        plain(SQL.end, [JSON.stringify(ended)]),
        plain(SQL.trim, [BigInt(most)]),
      ]),
    audit: (before, limit) =>
      using("Reading", async (database) => {
        const from = before === 0 ? Number.MAX_SAFE_INTEGER : before;
        return (await database.read(SQL.audit, [BigInt(from), BigInt(limit)])).map(auditRow);
      }),
    pruneAudit: (at) =>
      using("Pruning the audit log of", async (database) => {
        const [gone] = await database.write([plain(SQL.prune, [BigInt(Math.floor(at))])]);
        return gone!.length;
      }),
    secret: (name, fresh) =>
      using("Reading a secret of", async (database) => {
        await database.write([plain(SQL.newSecret, [name, fresh])]);
        const [row] = await database.read(SQL.secret, [name]);
        return String(row![0]);
      }),
    quarantines: () => using("Reading", (database) => read<QuarantineRow>(database, SQL.quarantines)),
    putQuarantine: (row) => put("Writing a quarantine to", [plain(SQL.putQuarantine, [row.name, JSON.stringify(row)])]),
  };
}
