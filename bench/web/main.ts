/**
 * The synthetic web as a process of its own: `deno run -A bench/web/main.ts --hosts 20 --pages 1000 --features all`.
 * Prints one JSON line when it is ready, {"port","control_port","seeds"}, and serves until SIGTERM or
 * SIGINT; with --with-parent also until its stdin ends.
 */

import process from "node:process";
import { parseArgs } from "node:util";
import type { HostForm, WebConfig } from "./config.ts";
import { DEFAULT_WEB, parseFeatures } from "./config.ts";
import { startControl } from "./control.ts";
import { startWeb } from "./server.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: {
    seed: text,
    hosts: text,
    pages: text,
    "page-kb": text,
    links: text,
    features: text,
    "host-form": text,
    port: text,
    "control-port": text,
    "latency-ms": text,
    "slow-ms": text,
    "fault-percent": text,
    "trap-pages": text,
    "no-gzip": { type: "boolean" },
    warm: { type: "boolean" },
    "with-parent": { type: "boolean" },
    "cache-mb": text,
  },
});

const number = (value: string | undefined, fallback: number) => (value === undefined ? fallback : Number(value));

const config: WebConfig = {
  seed: number(values.seed, DEFAULT_WEB.seed),
  hosts: number(values.hosts, DEFAULT_WEB.hosts),
  pages: number(values.pages, DEFAULT_WEB.pages),
  pageKb: number(values["page-kb"], DEFAULT_WEB.pageKb),
  links: number(values.links, DEFAULT_WEB.links),
  features: parseFeatures(values.features ?? "none"),
  hostForm: (values["host-form"] ?? DEFAULT_WEB.hostForm) as HostForm,
  port: number(values.port, 0),
  latencyMs: number(values["latency-ms"], DEFAULT_WEB.latencyMs),
  slowMs: number(values["slow-ms"], DEFAULT_WEB.slowMs),
  faultPercent: number(values["fault-percent"], DEFAULT_WEB.faultPercent),
  trapPages: number(values["trap-pages"], DEFAULT_WEB.trapPages),
  gzip: !values["no-gzip"],
};

const web = await startWeb(config, { cacheBytes: number(values["cache-mb"], 512) * 1024 * 1024 });
const control = await startControl(web, number(values["control-port"], 0));
const cachedBytes = values.warm ? web.warm() : 0;
const ready = {
  port: web.port,
  control_port: control.port,
  seeds: [`${web.world.origin(0)}/`],
  cached_bytes: cachedBytes,
};
process.stdout.write(`${JSON.stringify(ready)}\n`);

let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  await Promise.all([web.close(), control.close()]);
  process.exit(0);
};
// A parent that is killed closes the pipe: the server doesn't outlive it.
if (values["with-parent"]) process.stdin.on("close", () => void stop()).on("end", () => void stop()).resume();
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
