/** All that the stores in RAM hold, as text that two moments can be compared by. */

import type { Disks } from "./control_plane.ts";

/** Without the audit log, which grows by each refused action too. */
export function stateOf({ control, shards }: Disks): string {
  const { audit: _, auditSeq: __, ...kept } = control;
  return JSON.stringify([kept, shards], (_key, value) => {
    if (typeof value === "bigint") return `${value}n`;
    if (value instanceof Map || value instanceof Set) return [...value];
    return value;
  });
}
