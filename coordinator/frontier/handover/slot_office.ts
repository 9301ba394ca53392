/**
 * What one coordinator has to do with slots that move: it carries them, and takes orders.
 * Invariant: nothing is decided here.
 */

import type { DirectoryView } from "../../owner_ports.ts";
import type { ShardAdmin } from "../../slot_ports.ts";
import { ShardDesk } from "./shard_desk.ts";
import type { FrontierParts } from "../shard.ts";
import { SlotMover, type SlotMoverOptions } from "./slot_mover.ts";

export type SlotOfficeOptions = Omit<SlotMoverOptions, "parts">;

export class SlotOffice {
  readonly admin: ShardAdmin;
  readonly #mover: SlotMover;

  constructor(parts: FrontierParts, options: SlotOfficeOptions) {
    this.admin = new ShardDesk(options, parts.book);
    this.#mover = new SlotMover({ parts, ...options });
  }

  /** To be called with each new view of the directory, and needn't be waited for: see SlotMover.tick. */
  tick(view: DirectoryView): Promise<void> {
    return this.#mover.tick(view);
  }

  close(): Promise<void> {
    return this.#mover.close();
  }
}
