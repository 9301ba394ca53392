/**
 * What the API keeps about those who use it, in the control database: tokens, the audit log, quarantines.
 * Invariant: a secret is never kept, only its SHA-256; every write may be repeated and changes nothing the second time.
 * Adapters: store/memory_operators.ts (the specification) and store/libsql_operators.ts.
 */

/** operator: everything; edge: the frontier verbs; reader: look, change nothing. */
export type Role = "operator" | "edge" | "reader";

/** A token that was made by `outrider token create`. Times are wall ms. */
export interface TokenRow {
  /** Names it in lists and in the audit log; says nothing of the secret. */
  readonly id: string;
  readonly role: Role;
  /** "" = none. Bounds the worker ids of an edge. */
  readonly name: string;
  /** Of the secret, 64 hex digits. */
  readonly sha256: string;
  readonly createdAt: number;
  /** 0 = never. */
  readonly expiresAt: number;
  /** 0 = it stands. A revoked token is kept, so that the API stays closed and the log stays readable. */
  readonly revokedAt: number;
}

/** One action of an operator. */
export interface AuditEntry {
  readonly id: string;
  /** Wall ms. */
  readonly at: number;
  /** Whose token: its id, `env-<n>` for the n-th of the environment, "" where no token is asked for. */
  readonly token: string;
  readonly role: Role;
  readonly name: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The request's body, cut to its first characters; "" = none. */
  readonly body: string;
  /** HTTP status of the answer; 0 = the process ended before it was known. */
  readonly status: number;
}

/** As it is listed. */
export interface AuditRow extends AuditEntry {
  /** Ascending in the order of writing. */
  readonly seq: number;
}

/** What is written in one commit. */
export interface AuditWrites {
  readonly begun: readonly AuditEntry[];
  readonly ended: readonly { readonly id: string; readonly status: number }[];
  /** Beyond so many rows the oldest go. */
  readonly most: number;
}

/** An edge that isn't trusted any more. Times are wall ms. */
export interface QuarantineRow {
  /** The name of its token: its workers are called so, or begin with it and a dot. */
  readonly name: string;
  readonly reason: string;
  readonly at: number;
  /** 0 = it stands. */
  readonly liftedAt: number;
}

/** What was taken back of an edge's reports. */
export interface Reversal {
  readonly leasesEnded: number;
  readonly urlsOfferedAgain: number;
  readonly capturesWithdrawn: number;
  readonly originsForgotten: number;
}

/** What the control plane offers. */
export interface Quarantiner {
  /**
   * Takes back what the workers of an edge (isWorkerOf) reported to the shards that this process owns. Durable when it
   * resolves; asked again, it finishes what was cut short.
   */
  quarantine(name: string): Promise<{ readonly reversal: Reversal; readonly shards: readonly number[] }>;
}

export interface OperatorStore {
  /** In the order of their making. */
  tokens(): Promise<TokenRow[]>;
  /** Adds a token, or replaces the row of its id. */
  putToken(token: TokenRow): Promise<void>;
  writeAudit(writes: AuditWrites): Promise<void>;
  /** The newest first, before `seq` (0 = from the newest on). */
  audit(before: number, limit: number): Promise<AuditRow[]>;
  /** Forgets what is older than `at`; how many rows that were. */
  pruneAudit(at: number): Promise<number>;
  /** The secret of this name; `fresh` becomes it where there is none. All that share the database get the same. */
  secret(name: string, fresh: string): Promise<string>;
  /** In the order of their names, lifted ones too. */
  quarantines(): Promise<QuarantineRow[]>;
  /** Adds a quarantine, or replaces the one of its name. */
  putQuarantine(row: QuarantineRow): Promise<void>;
}
