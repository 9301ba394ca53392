/**
 * Debian's nginx on loopback, serving one folder, for as long as a test lasts.
 * Invariant: everything that it writes lies in the given folder; `stop` resolves when it has gone.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const BINARY = "/usr/sbin/nginx";

/** Why nginx can't be had here, or undefined. */
export function nginxAbsent(): string | undefined {
  return existsSync(BINARY) ? undefined : "Debian's nginx-light isn't installed";
}

/** Why `command` can't be run here, or undefined. */
export function commandAbsent(command: string): string | undefined {
  return spawnSync(command, ["--version"]).error === undefined ? undefined : `${command} isn't installed`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

export interface Nginx {
  readonly origin: string;
  /** Paths that were answered 200, without query, in order; the log is begun anew. */
  takeLog(): string[];
  stop(): Promise<void>;
}

/** Serves `root`; its files live in `folder`. */
export async function startNginx(root: string, folder: string): Promise<Nginx> {
  const port = await freePort();
  const log = join(folder, "access.log");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) =>
    `${name}_temp_path ${folder}/${name};`
  );
  const config = `
    worker_processes 1; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
    events { worker_connections 256; }
    http {
      include /etc/nginx/mime.types; ${temporary.join(" ")}
      log_format plain '$status $request_uri'; access_log ${log} plain;
      server { listen 127.0.0.1:${port}; root ${root}; index index.html; }
    }`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const child = spawn(BINARY, ["-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")], { stdio: "ignore" });
  const exited = once(child, "close");
  const origin = `http://127.0.0.1:${port}`;
  await answering(origin, child);
  let read = 0;
  return {
    origin,
    takeLog: () => {
      const text = readFileSync(log, "utf8");
      const fresh = text.slice(read);
      read = text.length;
      return fresh.split("\n").filter((line) => line.startsWith("200 ")).map((line) => line.slice(4));
    },
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function answering(origin: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
    try {
      await (await fetch(`${origin}/`, { headers: { connection: "close" } })).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`nginx was started; it didn't answer at ${origin} (exit code ${child.exitCode}).`);
}
