/**
 * A crawl, packed as WACZ, in a replay tool that isn't ours (wabac.js, the engine of replayweb.page) in a real browser.
 * The screenshot is kept in artefacts/.
 */

import assert from "node:assert/strict";
import { createReadStream, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { BROWSER_ABSENT } from "../support/browser.ts";
import { type BrowserSession, openBrowser } from "../support/browser_session.ts";
import { runOutrider } from "../support/outrider_process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { RUNTIME, test } from "../support/test.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SW = `${ROOT}node_modules/@webrecorder/wabac/dist/sw.js`;

const CSS = "body { background: rgb(0, 90, 60); color: white; font-size: 40px }";
const HOME = `<!doctype html><title>Home</title><link rel=stylesheet href=/look.css>
<h1>Kept in an archive</h1><p>caf\u00e9 and <a href=/twin-a>a twin</a></p>`;
const TWIN = `<!doctype html><title>Twin</title><p>The same bytes at two addresses</p><a href=/twin-b>the other</a>`;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Coded and chunked, as pages come. */
const site: Handler = ({ url }, response) => {
  const html = { "content-type": "text/html; charset=utf-8", "content-encoding": "gzip" };
  if (url === "/") response.writeHead(200, html).end(gzipSync(HOME));
  else if (url?.startsWith("/twin-")) response.writeHead(200, html).end(gzipSync(TWIN));
  else if (url === "/look.css") response.writeHead(200, { "content-type": "text/css" }).end(CSS);
  else response.writeHead(404).end();
};

/** The replay tool, a page that starts it, and the package, by range. */
const replaySite = (wacz: string): Handler => ({ url, headers }, response) => {
  const path = new URL(url ?? "/", "http://h").pathname;
  if (path === "/sw.js") {
    return void response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(SW));
  }
  if (path === "/") return void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><body>");
  if (path !== "/crawl.wacz") return void response.writeHead(404).end();
  const { size } = statSync(wacz);
  const [, from = "0", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(size - 1, Number(to));
  const range = { "content-range": `bytes ${start}-${end}/${size}`, "accept-ranges": "bytes" };
  response.writeHead(headers.range === undefined ? 200 : 206, { ...range, "content-length": String(end - start + 1) });
  createReadStream(wacz, { start, end }).pipe(response);
};

/** In the browser: loads the package into the replay tool. */
const LOAD = `(async () => {
  await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) {
    await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
  }
  const loaded = new Promise((resolve, reject) => navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data.msg_type === "collAdded") resolve();
    if (data.error) reject(new Error(data.error));
  }));
  navigator.serviceWorker.controller.postMessage(
    { msg_type: "addColl", name: "crawl", file: { sourceUrl: location.origin + "/crawl.wacz" } });
  await loaded;
})()`;

/** In the browser: a replayed page in a frame; what it shows. */
const show = (url: string) =>
  `(async () => {
  const frame = document.createElement("iframe");
  frame.style = "position:fixed;inset:0;width:100%;height:100%;border:0";
  const loaded = new Promise((done) => frame.onload = done);
  frame.src = "/w/crawl/mp_/" + ${JSON.stringify(url)};
  document.body.replaceChildren(frame);
  await loaded;
  const { body, title } = frame.contentDocument;
  return { title, text: body.innerText, background: frame.contentWindow.getComputedStyle(body).backgroundColor };
})()`;

interface Shown {
  readonly title: string;
  readonly text: string;
  readonly background: string;
}

/** In the browser: how many colours an image has, and the share of the commonest. */
const coloursOf = (png: Uint8Array) =>
  `(async () => {
  const blob = await (await fetch("data:image/png;base64,${btoa(String.fromCharCode(...png))}")).blob();
  const image = await createImageBitmap(blob);
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const counts = new Map();
  for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return { colours: counts.size, commonest: Math.max(...counts.values()) / (image.width * image.height) };
})()`;

/** The crawl of the site, as one file. */
async function packedCrawl(origin: string, data: string): Promise<string> {
  const allowed = ["--delay-ms", "0", "--allow-address", "127.0.0.0/8"];
  const crawled = await runOutrider(["crawl", `${origin}/`, ...allowed, "--embeds", "--data", data]);
  assert.equal(crawled.code, 0, crawled.stderr);
  const packed = await runOutrider(["warc", "pack", data, "--out", `${data}.wacz`, "--title", "Kept"]);
  assert.equal(packed.code, 0, packed.stderr);
  const index = readFileSync(`${data}/index.cdxj`, "utf8");
  assert.match(index, /\/twin-b .*"mime":"warc\/revisit"/, "the twin is a revisit");
  return `${data}.wacz`;
}

async function replayed(browser: BrowserSession, origin: string, page: string): Promise<void> {
  await browser.open(`${origin}/`);
  await browser.evaluate(LOAD);
  const twin = await browser.evaluate<Shown>(show(`${page}/twin-b`));
  assert.match(twin.text, /The same bytes at two addresses/, "a revisit is resolved");
  const home = await browser.evaluate<Shown>(show(`${page}/`));
  assert.equal(home.title, "Home");
  assert.match(home.text, /Kept in an archive[^]*caf\u00e9 and a twin/);
  assert.equal(home.background, "rgb(0, 90, 60)", "its style sheet is replayed");
  const png = await browser.screenshot();
  mkdirSync(`${ROOT}artefacts`, { recursive: true });
  writeFileSync(`${ROOT}artefacts/replay-${RUNTIME}.png`, png);
  const { colours, commonest } = await browser.evaluate<{ colours: number; commonest: number }>(coloursOf(png));
  assert.ok(colours > 10 && commonest > 0.5 && commonest < 0.99, `${colours} colours, the commonest on ${commonest}`);
}

test("replay: a packed crawl opens in wabac.js, its pages show, a revisit too", async () => {
  const folder = temporaryFolder();
  const web = await serve(site);
  const data = folder.file("data");
  try {
    const wacz = await packedCrawl(web.origin, data);
    // The pages come from the archive alone.
    await web.close();
    const replay = await serve(replaySite(wacz));
    const browser = await openBrowser();
    try {
      await replayed(browser, replay.origin, web.origin);
    } finally {
      await browser.close();
      await replay.close();
    }
  } finally {
    await web.close();
    await folder.remove();
  }
}, { skip: BROWSER_ABSENT, timeoutMs: 90_000 });
