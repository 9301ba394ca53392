/**
 * An edge node in a thread of its own, so that fetching, scanning and archiving use another core than the frontier.
 * Invariant: it is the same node as edge_node.ts wires; only its frontier and its log are calls across the boundary.
 */

import type { LocalTrouble } from "../edge/health/health.ts";
import type { FrontierVerbs } from "../protocol/mod.ts";
import { type Channel, openCalls } from "../runtime/calls.ts";
import type { LogFields, Logger } from "../runtime/ports.ts";
import type { EdgeNode, EdgeNodeSettings } from "./edge_node.ts";

/** The frontier's verbs: names of calls. */
export const VERBS = [
  "lease",
  "complete",
  "extend",
  "release",
  "settled",
  "deliverOutbox",
  "ackOutbox",
  "robotsBody",
  "captures",
  "permit",
  "permitAddress",
  "visited",
  "returnPermits",
] as const satisfies readonly (keyof FrontierVerbs)[];

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

export interface EdgeThreadParts {
  readonly frontier: FrontierVerbs;
  readonly log: Logger;
  readonly onLocalTrouble: (trouble: LocalTrouble) => void;
}

/** Starts the thread; resolves when its node is open. */
export async function openEdgeThread(settings: EdgeNodeSettings, parts: EdgeThreadParts): Promise<EdgeNode> {
  const worker = new Worker(new URL("./edge_thread_main.ts", import.meta.url), { type: "module" });
  const { frontier, log } = parts;
  const calls = openCalls(worker as Channel, {
    ...Object.fromEntries(VERBS.map((verb) => [verb, (argument: never) => frontier[verb](argument)])),
    log: ({ level, message, fields }: LogLine) => log[level](message, fields),
    trouble: parts.onLocalTrouble,
  }, "text");
  let ended = false;
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    if (!ended) calls.close(`The edge thread failed: ${event.message}`);
  });
  await calls.call("open", settings);
  return {
    run: async (stop) => {
      const stopping = () => void calls.call("stop").catch(() => {});
      stop.addEventListener("abort", stopping, { once: true });
      if (stop.aborted) stopping();
      await calls.call("run");
    },
    close: async () => {
      try {
        await calls.call("close");
      } finally {
        ended = true;
        worker.terminate();
      }
    },
  };
}
