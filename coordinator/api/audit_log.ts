/**
 * The audit log: which operator did what, when, and what came of it.
 * Invariant: an action is in the log, durably, before it begins, and its status before it is answered. What comes at
 * once is written in one commit.
 */

import type { MiddlewareHandler } from "hono";
import type { AuditEntry, AuditWrites } from "../operator_ports.ts";
import type { ApiEnv, ApiParts } from "./context.ts";

/** Rows that are kept; the oldest go. */
export const AUDIT_ROWS = 100_000;
const PATH_CHARS = 2000;
const BODY_CHARS = 1000;
/** How long an action waits for others to be written with it, ms. */
const GROUP_MS = 2;

const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** What changes something and isn't an edge's report. */
export function isOperatorAction(method: string, path: string): boolean {
  return !READING.has(method) && !isFrontierVerb(path);
}

/** What edges send. */
export function isFrontierVerb(path: string): boolean {
  return path.startsWith("/v1/frontier/") && path !== "/v1/frontier/enqueue";
}

interface Group {
  readonly begun: AuditEntry[];
  readonly ended: AuditWrites["ended"][number][];
  readonly written: Promise<void>;
}

export function auditLog({ operators, clock, random }: ApiParts): MiddlewareHandler<ApiEnv> {
  let last: Promise<void> = Promise.resolve();
  let gathering: Group | undefined;

  /** The group that is written next. */
  function group(): Group {
    if (gathering !== undefined) return gathering;
    const begun: Group["begun"] = [];
    const ended: Group["ended"] = [];
    const before = last.catch(() => {});
    const written = before.then(() => clock.sleep(GROUP_MS)).then(() => {
      gathering = undefined;
      return operators.writeAudit({ begun, ended, most: AUDIT_ROWS });
    });
    last = written;
    return gathering = { begun, ended, written };
  }

  return async (c, next) => {
    const { method, path } = c.req;
    if (!isOperatorAction(method, path)) return await next();
    const { id: token, role, name } = c.get("caller");
    const id = random.hex(8);
    const body = (await c.req.text()).slice(0, BODY_CHARS);
    const asked = `${path}${new URL(c.req.url).search}`.slice(0, PATH_CHARS);
    const opening = group();
    opening.begun.push({ id, at: clock.wallMs(), token, role, name, method, path: asked, body, status: 0 });
    await opening.written;
    await next();
    const closing = group();
    closing.ended.push({ id, status: c.res.status });
    await closing.written;
  };
}
