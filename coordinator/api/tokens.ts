/**
 * Bearer tokens and their roles.
 * Invariant: only SHA-256 digests are kept, and comparing takes the same time whichever token fits or none.
 */

import type { Digest } from "../../runtime/ports.ts";
import type { Role } from "../operator_ports.ts";

export type { Role } from "../operator_ports.ts";

export const ROLES: readonly Role[] = ["operator", "edge", "reader"];

export interface Token {
  /** Names it in the audit log; says nothing of the secret. */
  readonly id: string;
  readonly role: Role;
  /** Shown in the log. An edge token's name bounds the worker ids that may use it; "" = any. */
  readonly name: string;
  readonly sha256: string;
}

/** Who asks. */
export interface Caller {
  /** Names of edges in quarantine, with the reasons; absent = none. */
  readonly barred?: ReadonlyMap<string, string>;
  /** Of the token; "" where none is asked for. */
  readonly id: string;
  readonly role: Role;
  readonly name: string;
}

/** What may name a token. */
export const TOKEN_NAME = /^[A-Za-z0-9._-]{1,64}$/;
/** RFC 6750 2.1, b64token. */
const SECRET = /^[A-Za-z0-9._~+/-]+=*$/;
const HASHED = /^sha256=([0-9a-f]{64})$/;

/**
 * Tokens from a setting: entries `role:secret` or `role:name:secret`, divided by white space or commas; the secret may
 * stand as `sha256=<64 hex digits>`. Throws a sentence (which doesn't repeat the secret) when an entry is none.
 */
export function parseTokens(setting: string, digest: Digest): Token[] {
  return setting.split(/[\s,]+/).filter((entry) => entry !== "").map((entry, index) => {
    const parts = entry.split(":");
    const role = parts[0] as Role;
    const name = parts.length === 3 ? parts[1]! : "";
    const secret = parts.at(-1)!;
    const fits = (parts.length === 2 || (parts.length === 3 && TOKEN_NAME.test(name))) && ROLES.includes(role);
    const hashed = HASHED.exec(secret)?.[1];
    if (!fits || (hashed === undefined && !SECRET.test(secret))) {
      throw new Error(
        `Token ${index + 1} of the setting is malformed: role:secret or role:name:secret is wanted, where role is ${
          ROLES.join(", ")
        } and the secret has no spaces, commas or colons.`,
      );
    }
    return { id: `env-${index + 1}`, role, name, sha256: hashed ?? digest.sha256Hex(new TextEncoder().encode(secret)) };
  });
}

/** The caller that an `Authorization` header names, or undefined. */
export function authenticate(header: string | undefined, tokens: readonly Token[], digest: Digest): Caller | undefined {
  const secret = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  if (secret === undefined) return undefined;
  const presented = digest.sha256Hex(new TextEncoder().encode(secret));
  let found: Caller | undefined;
  for (const { id, role, name, sha256 } of tokens) {
    if (sameDigest(presented, sha256)) found ??= { id, role, name };
  }
  return found;
}

/** Looks at every digit, wherever the first difference lies. */
function sameDigest(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i % b.length);
  return difference === 0;
}
