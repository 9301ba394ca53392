/**
 * A headless Chromium that opens one page of the project's folder, which is served on loopback meanwhile.
 * Invariant: the server is closed and the browser's profile is gone when the answer is there.
 */

import { execFile, spawnSync } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};
const START_MS = 60_000;

const command = NAMES.find((name) => spawnSync(name, ["--version"]).status === 0);

/** The program; undefined where there is none. */
export const BROWSER: string | undefined = command;

/** Why no page can be opened here; undefined when one can. */
export const BROWSER_ABSENT: string | undefined = command === undefined ? "Chromium isn't installed" : undefined;

function serveProject(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = join(ROOT, normalize(decodeURIComponent(new URL(request.url ?? "/", "http://h").pathname)));
    if (!path.startsWith(ROOT) || !existsSync(path) || !statSync(path).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain", "connection": "close" });
    createReadStream(path).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function dump(url: string, profile: string): Promise<string> {
  const flags = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    `--user-data-dir=${profile}`,
  ];
  const options = { timeout: START_MS, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command!, [...flags, "--virtual-time-budget=20000", "--dump-dom", url], options, (error, stdout) => {
      if (error) reject(new Error(`Opening ${url} in ${command} failed: ${error.message}; the page's DOM was wanted.`));
      else resolve(stdout);
    });
  });
}

/** The DOM of a page of the project, as HTML, after its scripts have run. */
export async function openPage(path: string): Promise<string> {
  const server = await serveProject();
  const profile = mkdtempSync(join(tmpdir(), "outrider-browser-"));
  try {
    const { port } = server.address() as AddressInfo;
    return await dump(`http://127.0.0.1:${port}/${path}`, profile);
  } finally {
    await new Promise((resolve) => server.close(resolve));
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
