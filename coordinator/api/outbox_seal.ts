/**
 * Outbox rows travel through edges: a seal makes carriers of them and no more (promise 12).
 * Invariant: a row that is delivered is one that a coordinator handed out, unchanged; an edge whose token has a name
 * acknowledges only rows that were handed to it. The seal is HMAC-SHA-256 (RFC 2104) under a secret that all coordinators
 * of a control database share.
 */

import { LIMITS, type OutboxRow, type WorkerId } from "../../protocol/mod.ts";
import { hmacSigner } from "../../runtime/node.ts";
import type { Signer } from "../../runtime/ports.ts";
import type { ApiParts } from "./context.ts";
import { isBound, speaksFor } from "./edge_bounds.ts";
import { ApiProblem } from "./problem.ts";
import type { Caller } from "./tokens.ts";

const SECRET = "outbox";
const SECRET_BYTES = 32;
/** Rows whose carriers are remembered. A row that is forgotten is handed out again. */
const REMEMBERED = 2 * LIMITS.outboxRows;

export interface OutboxSeal {
  /** The rows as they are handed out to a worker. */
  sealed(rows: readonly OutboxRow[], worker: WorkerId): Promise<OutboxRow[]>;
  /** Throws a 400 when one isn't as it was handed out. */
  check(rows: readonly OutboxRow[]): Promise<void>;
  /** Those that the caller may acknowledge. */
  acknowledgeable<Row extends RowName>(rows: readonly Row[], caller: Caller): Row[];
}

type RowName = Pick<OutboxRow, "lease_id" | "seq">;

export function createOutboxSeal({ operators, random }: ApiParts): OutboxSeal {
  let made: Promise<Signer> | undefined;
  const carriers = new Map<string, WorkerId>();
  const signer = () =>
    made ??= operators.secret(SECRET, random.hex(SECRET_BYTES)).then(hmacSigner).catch((error) => {
      made = undefined;
      throw error;
    });
  return {
    async sealed(rows, worker) {
      if (rows.length === 0) return [];
      const { sign } = await signer();
      for (const row of rows) {
        const name = nameOf(row);
        carriers.delete(name);
        if (carriers.size >= REMEMBERED) carriers.delete(carriers.keys().next().value!);
        carriers.set(name, worker);
      }
      return rows.map((row) => ({ ...row, seal: sign(textOf(row)) }));
    },
    async check(rows) {
      const { verify } = await signer();
      for (const row of rows) {
        if (row.seal !== undefined && verify(textOf(row), row.seal)) continue;
        throw new ApiProblem(
          400,
          `Outbox row ${row.seq} of ${row.lease_id} isn't as a coordinator handed it out: the row, seal included, is wanted unchanged.`,
        );
      }
    },
    acknowledgeable(rows, caller) {
      if (!isBound(caller)) return [...rows];
      return rows.filter((row) => {
        const carrier = carriers.get(nameOf(row));
        return carrier !== undefined && speaksFor(caller, carrier);
      });
    },
  };
}

const nameOf = ({ lease_id, seq }: RowName) => `${lease_id} ${seq}`;

/** All that a row says, in a fixed order. */
function textOf({ slot, crawl_id, lease_id, seq, links }: OutboxRow): string {
  const told = links.map(({ url, depth, hop, discovery_path, discovered_from, priority }) => [
    url,
    depth,
    hop,
    discovery_path,
    discovered_from,
    priority,
  ]);
  return JSON.stringify([slot, crawl_id, lease_id, seq, told]);
}
