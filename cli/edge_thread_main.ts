/**
 * What runs inside the edge thread; see edge_thread.ts.
 */

import { loadCore } from "../core-wasm/mod.ts";
import type { FrontierVerbs } from "../protocol/mod.ts";
import { type Channel, openCalls } from "../runtime/calls.ts";
import type { LogFields, Logger } from "../runtime/ports.ts";
import { type EdgeNode, type EdgeNodeSettings, openEdgeNode } from "./edge_node.ts";
import { type LogLine, VERBS } from "./edge_thread.ts";

const stop = new AbortController();
let node: EdgeNode | undefined;

const calls = openCalls(globalThis as unknown as Channel, {
  open: async (settings: EdgeNodeSettings) => {
    node = await openEdgeNode(settings, {
      frontier,
      core: await loadCore(),
      log,
      onLocalTrouble: (trouble) => void calls.call("trouble", trouble),
      onSlotMap: () => {},
    });
  },
  run: () => node!.run(stop.signal),
  stop: () => stop.abort(),
  close: () => node?.close(),
}, "text");

const frontier = Object.fromEntries(
  VERBS.map((verb) => [verb, (argument: unknown) => calls.call(verb, argument)]),
) as unknown as FrontierVerbs;

function line(level: keyof Logger) {
  return (message: string, fields: LogFields = {}) =>
    void calls.call("log", { level, message, fields } satisfies LogLine);
}

const log: Logger = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
