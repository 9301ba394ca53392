/**
 * Carries outbox rows from the shard that wrote them to the shard that owns their slots, then acknowledges them.
 * Invariant: acknowledged only after the owner has them durably; a row that fails stays and comes with a later lease.
 */

import type { OutboxRow } from "../protocol/mod.ts";
import type { EdgeParts } from "./parts.ts";

export async function deliver(rows: readonly OutboxRow[], parts: EdgeParts): Promise<void> {
  const worker_id = parts.settings.workerId;
  try {
    await parts.frontier.deliverOutbox({ worker_id, rows });
    await parts.frontier.ackOutbox({ worker_id, rows: rows.map(({ lease_id, seq }) => ({ lease_id, seq })) });
  } catch (error) {
    parts.log.warn("could not deliver outbox rows; they will be handed out again", {
      rows: rows.length,
      error: String(error),
    });
  }
}
