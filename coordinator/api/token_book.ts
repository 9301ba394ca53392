/**
 * Which tokens count now: those of the environment, and those in the control database.
 * Invariant: a token that was made, revoked or quarantined in the database counts as such at most `LOOK_MS` and one
 * reading later, in this process and in every other. A database that can't be read leaves what was known.
 */

import type { ApiParts } from "./context.ts";
import type { Token } from "./tokens.ts";

/** Age at which what was read is read again, ms. */
const LOOK_MS = 500;

export interface KnownTokens {
  readonly tokens: readonly Token[];
  /** No token was ever made, so none is asked for. Revoking the last one doesn't open the API again. */
  readonly isOpen: boolean;
  /** Names of edges that aren't trusted any more, with the reasons. */
  readonly quarantined: ReadonlyMap<string, string>;
}

export interface TokenBook {
  current(): Promise<KnownTokens>;
  /** The next look is at the database. */
  forget(): void;
}

export function createTokenBook(
  { tokens, operators, clock, log }: Pick<ApiParts, "tokens" | "operators" | "clock" | "log">,
): TokenBook {
  let known: KnownTokens | undefined;
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const at = clock.monotonicMs();
    try {
      const [stored, quarantines] = [await operators.tokens(), await operators.quarantines()];
      const now = clock.wallMs();
      const standing = stored.filter(({ revokedAt, expiresAt }) =>
        revokedAt === 0 && !(expiresAt > 0 && expiresAt <= now)
      );
      known = {
        tokens: [...tokens, ...standing],
        isOpen: tokens.length === 0 && stored.length === 0,
        quarantined: new Map(quarantines.filter(({ liftedAt }) => liftedAt === 0).map((row) => [row.name, row.reason])),
      };
    } catch (error) {
      if (known === undefined) throw error;
      log.warn("tokens can't be read again; those that are known go on", { error: String(error) });
    }
    readAt = at;
  }

  return {
    async current() {
      if (known === undefined || clock.monotonicMs() - readAt >= LOOK_MS) {
        await (reading ??= read().finally(() => reading = undefined));
      }
      return known!;
    },
    forget: () => void (readAt = -Infinity),
  };
}
