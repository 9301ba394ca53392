/**
 * The tables of the control database.
 * Invariant: `control` has one row, and its format says what the other tables look like. Every statement may
 * be repeated.
 */

/** Bumped when the tables change; a database of another format is refused. */
export const CONTROL_FORMAT = 1;

export const CONTROL_TABLES: readonly string[] = [
  "create table if not exists control (id integer primary key check (id = 1), format integer not null)",
  "create table if not exists crawl (id integer primary key, crawl_id text not null unique, facts text not null)",
  "create table if not exists idempotency (key text primary key, answer text not null, given_at integer not null)",
  "create index if not exists idempotency_age on idempotency (given_at)",
];
