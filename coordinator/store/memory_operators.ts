/**
 * Tokens, audit log and quarantines in RAM: the executable specification of OperatorStore.
 * Invariant: a write that is repeated changes nothing.
 */

import type { AuditRow, AuditWrites, OperatorStore, QuarantineRow, TokenRow } from "../operator_ports.ts";

/** What a crash leaves. */
export class MemoryOperatorDisk {
  readonly tokens = new Map<string, TokenRow>();
  readonly audit = new Map<string, AuditRow>();
  readonly quarantines = new Map<string, QuarantineRow>();
  readonly secrets = new Map<string, string>();
  auditSeq = 0;
}

export class MemoryOperatorStore implements OperatorStore {
  readonly #disk: MemoryOperatorDisk;

  constructor(disk: MemoryOperatorDisk) {
    this.#disk = disk;
  }

  async tokens(): Promise<TokenRow[]> {
    return [...this.#disk.tokens.values()];
  }

  async putToken(token: TokenRow): Promise<void> {
    this.#disk.tokens.set(token.id, token);
  }

  async writeAudit({ begun, ended, most }: AuditWrites): Promise<void> {
    const { audit } = this.#disk;
    for (const entry of begun) if (!audit.has(entry.id)) audit.set(entry.id, { ...entry, seq: ++this.#disk.auditSeq });
    for (const { id, status } of ended) {
      const row = audit.get(id);
      if (row !== undefined) audit.set(id, { ...row, status });
    }
    for (const { id, seq } of audit.values()) if (seq <= this.#disk.auditSeq - most) audit.delete(id);
  }

  async audit(before: number, limit: number): Promise<AuditRow[]> {
    const rows = [...this.#disk.audit.values()].filter(({ seq }) => before === 0 || seq < before);
    return rows.sort((a, b) => b.seq - a.seq).slice(0, limit);
  }

  async pruneAudit(at: number): Promise<number> {
    const old = [...this.#disk.audit.values()].filter((row) => row.at < at);
    for (const { id } of old) this.#disk.audit.delete(id);
    return old.length;
  }

  async secret(name: string, fresh: string): Promise<string> {
    const { secrets } = this.#disk;
    if (!secrets.has(name)) secrets.set(name, fresh);
    return secrets.get(name)!;
  }

  async quarantines(): Promise<QuarantineRow[]> {
    return [...this.#disk.quarantines.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async putQuarantine(row: QuarantineRow): Promise<void> {
    this.#disk.quarantines.set(row.name, row);
  }
}
