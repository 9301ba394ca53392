/**
 * The Logger port on logtape: one line an event, to stderr, so that stdout carries the command's own output only.
 */

import process from "node:process";
import { configureSync, getJsonLinesFormatter, getLogger, type LogRecord } from "@logtape/logtape";
import type { LogFields, Logger } from "../runtime/ports.ts";

export type LogLevel = "debug" | "info" | "warning" | "error";

export interface LogOptions {
  readonly level: LogLevel;
  /** JSON lines instead of plain text. */
  readonly json: boolean;
  /** Called before a line is written: a live progress line is wiped by it. */
  readonly beforeLine?: () => void;
}

function plain(record: LogRecord): string {
  const fields = Object.entries(record.properties).map(([name, value]) => ` ${name}=${show(value)}`).join("");
  return `${new Date(record.timestamp).toISOString()} ${record.level} ${record.message.join("")}${fields}\n`;
}

function show(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}

export function openLog(options: LogOptions): Logger {
  const format = options.json ? getJsonLinesFormatter() : plain;
  const sink = (record: LogRecord) => {
    options.beforeLine?.();
    process.stderr.write(format(record));
  };
  configureSync({
    reset: true,
    sinks: { stderr: sink },
    loggers: [
      { category: "outrider", lowestLevel: options.level, sinks: ["stderr"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["stderr"] },
    ],
  });
  const log = getLogger("outrider");
  const at = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: LogFields) =>
    log[level](message, { ...fields });
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
