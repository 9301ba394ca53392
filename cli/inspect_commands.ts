/**
 * `outrider url | robots | scan | sitemap`: what the core, the robots rules and the sitemap reader make of an input, as JSON lines (see json_lines.ts).
 */

import type { Command } from "commander";
import { loadCore } from "../core-wasm/mod.ts";
import { answerLines } from "./json_lines.ts";
import { answerRobots } from "./robots_answer.ts";
import { answerScan } from "./scan_answer.ts";
import { answerSitemap } from "./sitemap_answer.ts";
import { answerUrl } from "./url_answer.ts";

export function registerInspection(program: Command): void {
  program.command("url")
    .description(
      'normalise URLs: {"input","base"?} -> {"url","key","fingerprint","surt","host","domain","slot"} | {"error"}',
    )
    .action(async () => {
      const core = await loadCore();
      await answerLines((line) => answerUrl(core, line));
    });
  program.command("robots")
    .description(
      'decide by robots.txt: {"robots"|"robots_base64","agent","url"} -> {"allowed","rule","line","crawl_delay","sitemaps"}',
    )
    .action(async () => {
      const core = await loadCore();
      await answerLines((line) => answerRobots(core, line));
    });
  program.command("scan")
    .description('scan a page: {"html"|"html_base64","url","content_type"?} -> {"links","base","title","charset",...}')
    .action(async () => {
      const core = await loadCore();
      await answerLines((line) => answerScan(core, line));
    });
  program.command("sitemap")
    .description(
      'read a sitemap or feed: {"body"|"body_base64","url","content_type"?} -> {"kind","urls":[{"loc","lastmod"?,...}],"sitemaps","truncated"}',
    )
    .action(async () => {
      const core = await loadCore();
      await answerLines((line) => answerSitemap(core, line, Date.now()));
    });
}
