/**
 * DirectoryStore on libSQL: tables of the control database.
 * Invariant: each write is a batch that changes nothing when it is repeated after a lost answer; a write that rests on
 * the slot map names the version that it rests on, and is tried again when another came between.
 */

import type { CoordinatorEntry, DirectoryStore, DirectoryView, SlotMove } from "../owner_ports.ts";
import { evenSlotMap, shardOf, type SlotMap, withSlot } from "../../protocol/mod.ts";
import { noSuchMove, ownersOf } from "./directory_view.ts";
import type { SqlRow, SqlValue } from "./libsql_client.ts";
import { plain } from "./libsql_open.ts";
import type { Using } from "./libsql_operators.ts";

/** Made at every opening where they aren't there: a database of an earlier version gets them too. */
export const DIRECTORY_TABLES: readonly string[] = [
  `create table if not exists directory (id integer primary key check (id = 1), changes integer not null,
    slot_map text not null, secret text not null)`,
  `insert or ignore into directory (id, changes, slot_map, secret)
    values (1, 0, '{"version":0,"shards":0,"runs":[]}', '')`,
  "create table if not exists shard_place (shard integer primary key, location text not null unique)",
  "create table if not exists coordinator (id text primary key, beat integer not null, facts text not null)",
  `create table if not exists slot_move (slot integer primary key, from_shard integer not null,
    to_shard integer not null, state text not null)`,
  // Its row is there while slots are to be spread.
  "create table if not exists spreading (id integer primary key check (id = 1))",
];

/** The statement before changed a row. */
export const BUMP_IF_CHANGED = "update directory set changes = changes + 1 where changes() > 0";

const SQL = {
  read: `select changes, slot_map,
    (select json_group_array(location) from (select location from shard_place order by shard)),
    (select json_group_array(json(facts)) from (select facts from coordinator order by id)),
    (select json_group_array(json_object('slot', slot, 'from', from_shard, 'to', to_shard, 'state', state))
      from (select * from slot_move order by slot)),
    (select count(*) from spreading)
    from directory`,
  spread: "insert or ignore into spreading (id) values (1)",
  stopSpreading: "delete from spreading",
  bumpIfChanged: BUMP_IF_CHANGED,
  bump: "update directory set changes = changes + 1",
  found: `insert into shard_place (shard, location) select key, value from json_each(?)
    where not exists (select 1 from shard_place)`,
  foundMap: "update directory set slot_map = ?, changes = changes + 1 where slot_map->>'version' = 0",
  announce: `insert into coordinator (id, beat, facts) values (?, ?, ?)
    on conflict (id) do update set beat = excluded.beat, facts = excluded.facts where excluded.beat > coordinator.beat`,
  withdraw: "delete from coordinator where id = ?",
  addShard: `insert or ignore into shard_place (shard, location)
    select coalesce(max(shard) + 1, 0), ? from shard_place`,
  countShards: `update directory set changes = changes + 1, slot_map = json_set(slot_map,
      '$.version', (slot_map->>'version') + 1, '$.shards', (select count(*) from shard_place))
    where slot_map->>'shards' < (select count(*) from shard_place)`,
  shardAt: "select shard from shard_place where location = ?",
  beginMove: `insert or ignore into slot_move (slot, from_shard, to_shard, state)
    select ?, ?, ?, 'freezing' from directory where slot_map->>'version' = ?`,
  markDrained: "update slot_move set state = 'drained' where slot = ? and state = 'freezing'",
  copied: `update slot_move set state = 'copied' where slot = ? and state = 'drained'
    and (select slot_map->>'version' from directory) = ?`,
  newMap: "update directory set slot_map = ?, changes = changes + 1 where changes() > 0",
  endMove: "delete from slot_move where slot = ? and state = 'copied'",
  secret: "update directory set secret = case secret when '' then ? else secret end returning secret",
} as const;

const TRIES = 20;

type Write = (...statements: [sql: string, args?: readonly SqlValue[]][]) => Promise<readonly (readonly SqlRow[])[]>;

export function libsqlDirectory(using: Using): DirectoryStore {
  const read = () =>
    using("Reading", async (database): Promise<DirectoryView> => {
      const [row] = await database.read(SQL.read);
      const map = JSON.parse(String(row![1])) as SlotMap;
      const coordinators = JSON.parse(String(row![3])) as CoordinatorEntry[];
      return {
        changes: Number(row![0]),
        slotMap: { ...map, owners: ownersOf(map.shards, coordinators) },
        locations: JSON.parse(String(row![2])) as string[],
        coordinators,
        moves: JSON.parse(String(row![4])) as SlotMove[],
        spreading: Number(row![5]) > 0,
      };
    });
  const write: Write = (...statements) =>
    using(
      "Writing the directory to",
      async (database) => await database.write(statements.map(([sql, args]) => plain(sql, args))),
    );
  return {
    read,
    async found(locations) {
      await write([SQL.found, [JSON.stringify(locations)]], [SQL.foundMap, [textOf(evenSlotMap(locations.length))]]);
    },
    async announce(entry) {
      await write([SQL.announce, [entry.id, BigInt(entry.beat), JSON.stringify(entry)]]);
    },
    async withdraw(id) {
      await write([SQL.withdraw, [id]]);
    },
    async addShard(location) {
      await write([SQL.addShard, [location]], [SQL.countShards]);
      const [row] = await using("Reading", (database) => database.read(SQL.shardAt, [location]));
      return Number(row![0]);
    },
    ...slotMoves(read, write),
    async bump() {
      await write([SQL.bump]);
    },
    async secret(proposal) {
      const [rows] = await write([SQL.secret, [proposal]]);
      return String(rows![0]![0]);
    },
  };
}

function slotMoves(
  read: () => Promise<DirectoryView>,
  write: Write,
): Pick<DirectoryStore, "beginMove" | "spread" | "markDrained" | "finishCopy" | "endMove"> {
  const moveOf = ({ moves }: DirectoryView, slot: number) => moves.find((move) => move.slot === slot);
  return {
    async beginMove({ slot, from, to }) {
      for (let tries = 0; tries < TRIES; tries++) {
        const view = await read();
        const move = moveOf(view, slot);
        if (move !== undefined) return move.from === from && move.to === to && move.state === "freezing";
        const { slotMap } = view;
        if (from === to || to >= slotMap.shards || shardOf(slotMap, slot) !== from) return false;
        const numbers = [slot, from, to, slotMap.version].map(BigInt);
        await write([SQL.beginMove, numbers], [SQL.bumpIfChanged]);
      }
      throw new Error(`Moving slot ${slot}: the directory changed ${TRIES} times meanwhile; ask again.`);
    },
    async spread(isWanted) {
      await write([isWanted ? SQL.spread : SQL.stopSpreading], [SQL.bumpIfChanged]);
    },
    async markDrained(slot) {
      await write([SQL.markDrained, [BigInt(slot)]], [SQL.bumpIfChanged]);
    },
    async finishCopy(slot) {
      for (let tries = 0; tries < TRIES; tries++) {
        const view = await read();
        const move = moveOf(view, slot);
        if (move?.state === "copied") return view.slotMap;
        if (move?.state !== "drained") throw noSuchMove(slot, move?.state);
        const map = textOf(withSlot(view.slotMap, slot, move.to));
        await write([SQL.copied, [slot, view.slotMap.version].map(BigInt)], [SQL.newMap, [map]]);
      }
      throw new Error(
        `Giving slot ${slot} to its new shard: the directory changed ${TRIES} times meanwhile; ask again.`,
      );
    },
    async endMove(slot) {
      await write([SQL.endMove, [BigInt(slot)]], [SQL.bumpIfChanged]);
    },
  };
}

/** Owners are told by the coordinators' rows. */
function textOf({ version, shards, runs }: SlotMap): string {
  return JSON.stringify({ version, shards, runs });
}
