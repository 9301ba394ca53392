/**
 * `outrider token create|list|revoke`: bearer tokens of a coordinator, in the control database of its data folder.
 * Invariant: a secret is printed once, when it is made, and never kept; a running coordinator obeys within a second.
 */

import { existsSync } from "node:fs";
import process from "node:process";
import { type Command, InvalidArgumentError, Option } from "commander";
import { ROLES, TOKEN_NAME } from "../coordinator/api/tokens.ts";
import type { OperatorStore, Role, TokenRow } from "../coordinator/operator_ports.ts";
import { isUrl } from "../coordinator/store/libsql_client.ts";
import { openLibsqlControlStore } from "../coordinator/store/libsql_control_store.ts";
import { nativeDigest, systemClock, systemRandom } from "../runtime/node.ts";
import { libsqlToken } from "./cluster_flags.ts";
import { dataPaths } from "./data_folder.ts";
import { Fault } from "./fault.ts";
import { folder, oneOf } from "./flags.ts";

interface Flags {
  readonly data: string;
  readonly control?: string;
  readonly json?: boolean;
}

const SECRET_BYTES = 24;
const UNIT_MS = { h: 3_600_000, d: 86_400_000 } as const;

export function registerToken(program: Command): void {
  const token = program.command("token").description(
    "make, list and revoke bearer tokens of a coordinator; it obeys within a second, also while it runs",
  );
  const common = (command: Command) =>
    command
      .option("--data <folder>", "the coordinator's data folder", folder, "outrider-coordinator")
      .option("--control <place>", "the control database of several coordinators, as they were given it")
      .option("--json", "one JSON object a line");
  common(token.command("create").description("make a token; its secret is shown now and never again"))
    .requiredOption("--role <role>", ROLES.join(", "), oneOf(ROLES))
    .addOption(
      new Option("--name <name>", "of whoever uses it; an edge of this name speaks for its own workers only")
        .argParser(name).default("", "none"),
    )
    .addOption(
      new Option("--expires <time>", "after this it counts no more: 12h, 90d").argParser(span).default(0, "never"),
    )
    .action(create);
  common(token.command("list").description("list tokens, revoked ones too")).action(list);
  common(token.command("revoke").description("revoke a token, by its id").argument("<id>")).action(revoke);
}

function name(text: string): string {
  if (TOKEN_NAME.test(text)) return text;
  throw new InvalidArgumentError("1 to 64 letters, digits, dots, hyphens or underscores are wanted.");
}

function span(text: string): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  if (unit !== undefined && Number(count) > 0) return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  throw new InvalidArgumentError("A number of hours or days is wanted: 12h, 90d.");
}

async function create(flags: Flags & { role: Role; name: string; expires: number }): Promise<void> {
  const secret = systemRandom.hex(SECRET_BYTES);
  const now = Math.floor(systemClock.wallMs());
  const row: TokenRow = {
    id: `t-${systemRandom.hex(4)}`,
    role: flags.role,
    name: flags.name,
    sha256: nativeDigest.sha256Hex(new TextEncoder().encode(secret)),
    createdAt: now,
    expiresAt: flags.expires === 0 ? 0 : now + flags.expires,
    revokedAt: 0,
  };
  await withStore(flags, (store) => store.putToken(row));
  print(flags, { ...shown(row), secret }, `${line(row)}\nsecret ${secret}   (shown only now)\n`);
}

async function list(flags: Flags): Promise<void> {
  refuseNoFolder(flags);
  for (const row of await withStore(flags, (store) => store.tokens())) print(flags, shown(row), `${line(row)}\n`);
}

async function revoke(id: string, flags: Flags): Promise<void> {
  refuseNoFolder(flags);
  const row = await withStore(flags, async (store) => {
    const found = (await store.tokens()).find((token) => token.id === id);
    if (found === undefined) {
      throw new Fault(
        `Revoking token ${JSON.stringify(id)}: ${flags.data} has none of this id; "token list" shows them.`,
      );
    }
    if (found.revokedAt > 0) return found;
    const revoked = { ...found, revokedAt: Math.floor(systemClock.wallMs()) };
    await store.putToken(revoked);
    return revoked;
  });
  print(flags, shown(row), `${line(row)}\n`);
}

/** A list or a revocation isn't what makes a data folder. */
function refuseNoFolder({ data, control }: Flags): void {
  if (control !== undefined && isUrl(control)) return;
  if (control !== undefined && existsSync(control)) return;
  if (control !== undefined) throw new Fault(`Reading the tokens of ${control}: there is no such database.`);
  if (existsSync(dataPaths(data).control)) return;
  throw new Fault(`Reading the tokens of ${data}: there is no control.db in it; --data names a coordinator's folder.`);
}

async function withStore<T>({ data, control }: Flags, work: (store: OperatorStore) => Promise<T>): Promise<T> {
  const location = control ?? dataPaths(data).control;
  const store = openLibsqlControlStore({ location, ...(isUrl(location) ? { authToken: libsqlToken() } : {}) });
  try {
    await store.open();
    return await work(store);
  } catch (error) {
    throw error instanceof Fault ? error : new Fault((error as Error).message);
  } finally {
    await store.close();
  }
}

/** As JSON: without the digest. */
function shown({ id, role, name, createdAt, expiresAt, revokedAt }: TokenRow) {
  return {
    id,
    role,
    name,
    created_at: createdAt,
    ...(expiresAt > 0 ? { expires_at: expiresAt } : {}),
    ...(revokedAt > 0 ? { revoked_at: revokedAt } : {}),
  };
}

function line({ id, role, name, createdAt, expiresAt, revokedAt }: TokenRow): string {
  const day = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const end = revokedAt > 0
    ? `revoked ${day(revokedAt)}`
    : expiresAt > 0
    ? `${expiresAt <= systemClock.wallMs() ? "expired" : "expires"} ${day(expiresAt)}`
    : "stands";
  return `${id}  ${role.padEnd(8)}  ${(name || "-").padEnd(16)}  made ${day(createdAt)}  ${end}`;
}

function print({ json }: Flags, object: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(object)}\n` : text);
}
