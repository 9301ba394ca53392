/**
 * What a named edge token may speak for (promise 12): its own workers, and files below their names.
 * Invariant: with a named token, a worker id is the name or begins with the name and a dot, and the first segment of
 * every storage key is such a worker id. A token without a name isn't bound.
 */

import { type Completion, isWorkerOf } from "../../protocol/mod.ts";
import { ApiProblem } from "./problem.ts";
import type { Caller } from "./tokens.ts";

export function isBound({ role, name }: Caller): boolean {
  return role === "edge" && name !== "";
}

export function speaksFor({ name }: Caller, worker: string): boolean {
  return isWorkerOf(name, worker);
}

/** Throws a 403 for a worker (or the name of an edge) that is in quarantine. */
export function refuseBarred(barred: ReadonlyMap<string, string> | undefined, worker: string): void {
  for (const [name, reason] of barred ?? []) {
    if (!isWorkerOf(name, worker)) continue;
    const why = reason === "" ? "" : ` (${reason})`;
    throw new ApiProblem(403, `Edge ${name} is in quarantine${why}, so nothing of worker ${worker} is taken.`);
  }
}

export function refuseForeignWorker(caller: Caller, workerId: string): void {
  refuseBarred(caller.barred, workerId);
  if (!isBound(caller) || speaksFor(caller, workerId)) return;
  throw new ApiProblem(
    403,
    `This token is that of edge ${caller.name}, so it can't speak for worker ${workerId}: the worker id must be ${caller.name} or begin with "${caller.name}.".`,
  );
}

export function refuseForeignPrefix(caller: Caller, storagePrefix: string): void {
  if (!isBound(caller) || speaksFor(caller, storagePrefix.split("/")[0]!)) return;
  throw new ApiProblem(
    403,
    `This token is that of edge ${caller.name}, so it sees only files below "${caller.name}/".`,
  );
}

export function refuseForeignKeys(caller: Caller, { outcomes }: Completion): void {
  if (!isBound(caller)) return;
  for (const { capture, hops = [] } of outcomes) {
    if (capture) refuseForeignPrefix(caller, capture.record.storage_key);
    for (const hop of hops) refuseForeignPrefix(caller, hop.capture.record.storage_key);
  }
}
