/**
 * Where a crawl's progress goes: a live line on a terminal, plain lines elsewhere, JSON lines with --json.
 */

import process from "node:process";
import type { CrawlStats } from "../protocol/mod.ts";
import { writeLoosely } from "./output.ts";
import { type Ending, type Moment, narrowLine, pagesPerSecond, progressLine, summary } from "./progress.ts";

export interface Screen {
  /** Wipes the live line, so that another line can be written. */
  clear(): void;
  say(sentence: string): void;
  progress(before: Moment, now: Moment): void;
  end(ending: Ending): void;
  /** ms between two progress reports. */
  readonly everyMs: number;
}

const LIVE_MS = 500;
const PLAIN_MS = 5000;

export function openScreen(json: boolean): Screen {
  if (json) return jsonScreen();
  return process.stdout.isTTY ? liveScreen() : plainScreen();
}

function liveScreen(): Screen {
  let shown = false;
  const clear = () => {
    if (shown) writeLoosely("\r\x1b[2K");
    shown = false;
  };
  return {
    everyMs: LIVE_MS,
    clear,
    say: (sentence) => {
      clear();
      writeLoosely(`${sentence}\n`);
    },
    progress: (before, now) => {
      clear();
      writeLoosely(narrowLine(before, now, Math.max(20, (process.stdout.columns || 80) - 1)));
      shown = true;
    },
    end: (ending) => {
      clear();
      writeLoosely(`${summary(ending)}\n`);
    },
  };
}

function plainScreen(): Screen {
  return {
    everyMs: PLAIN_MS,
    clear: () => {},
    say: (sentence) => writeLoosely(`${sentence}\n`),
    progress: (before, now) => writeLoosely(`${progressLine(before, now)}\n`),
    end: (ending) => writeLoosely(`${summary(ending)}\n`),
  };
}

function jsonScreen(): Screen {
  const line = (type: string, fields: Record<string, unknown>) =>
    writeLoosely(`${JSON.stringify({ type, ...fields })}\n`);
  return {
    everyMs: PLAIN_MS,
    clear: () => {},
    say: (message) => line("message", { message }),
    progress: (before, now) =>
      line("progress", { ...fieldsOf(now.stats), pages_per_second: Number(pagesPerSecond(before, now).toFixed(2)) }),
    end: ({ stats, tookMs, folder, archive, how, resumable }) => {
      const seconds = Math.round(tookMs) / 1000;
      line("summary", { ...fieldsOf(stats), seconds, ended: how, resumable, data: folder, archive });
    },
  };
}

function fieldsOf(stats: CrawlStats): Record<string, unknown> {
  return { ...stats };
}
