/**
 * A headless Chromium that is told what to do over its debugging port, for what takes service workers and waiting.
 * Invariant: `close` resolves when the process has gone and its profile too. Nothing but loopback is asked for.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { systemClock } from "../../runtime/node.ts";
import { BROWSER } from "./browser.ts";
import { temporaryFolder } from "./temporary.ts";

export interface BrowserSession {
  /** Opens a page; resolves when it has loaded. */
  open(url: string): Promise<void>;
  /** The value of an expression, its promise awaited; throws what it throws. */
  evaluate<T>(expression: string): Promise<T>;
  /** PNG of what the window shows. */
  screenshot(): Promise<Uint8Array>;
  close(): Promise<void>;
}

const START_MS = 30_000;
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--remote-debugging-port=0",
  "--window-size=800,600",
  // No look-ups, no updates, no telemetry.
  "--disable-background-networking",
  "--no-first-run",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

async function portOf(profile: string): Promise<number> {
  for (const until = Date.now() + START_MS; Date.now() < until; await systemClock.sleep(50)) {
    const text = await readFile(`${profile}/DevToolsActivePort`, "utf8").catch(() => "");
    if (text.includes("\n")) return Number(text.split("\n")[0]);
  }
  throw new Error(`Starting ${BROWSER} failed: no debugging port was opened in ${START_MS} ms; one was wanted.`);
}

async function pageSocket(port: number): Promise<WebSocket> {
  const reply = await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: "PUT" });
  const { webSocketDebuggerUrl } = await reply.json() as { webSocketDebuggerUrl: string };
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  return socket;
}

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Calls of the DevTools protocol, and one wait for an event. */
function protocol(socket: WebSocket) {
  let last = 0;
  const waiting = new Map<number, (reply: Reply) => void>();
  const events = new Map<string, () => void>();
  socket.addEventListener("message", ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
    else events.get(reply.method ?? "")?.();
  });
  return {
    event: (method: string) => new Promise<void>((resolve) => events.set(method, resolve)),
    call: async (method: string, params: Record<string, unknown> = {}) => {
      const id = ++last;
      const reply = await new Promise<Reply>((resolve) => {
        waiting.set(id, resolve);
        socket.send(JSON.stringify({ id, method, params }));
      });
      waiting.delete(id);
      if (reply.error) throw new Error(`${method} failed in the browser: ${reply.error.message}`);
      return reply.result ?? {};
    },
  };
}

export async function openBrowser(): Promise<BrowserSession> {
  const profile = temporaryFolder();
  const child = spawn(BROWSER!, [...FLAGS, `--user-data-dir=${profile.path}`], { stdio: "ignore" });
  const gone = once(child, "close");
  try {
    const socket = await pageSocket(await portOf(profile.path));
    const { call, event } = protocol(socket);
    await call("Page.enable");
    return {
      open: async (url) => {
        const loaded = event("Page.loadEventFired");
        await call("Page.navigate", { url });
        await loaded;
      },
      evaluate: async <T>(expression: string) => {
        const asked = { expression, awaitPromise: true, returnByValue: true };
        const { result, exceptionDetails } = await call("Runtime.evaluate", asked) as {
          result: { value: T; description?: string };
          exceptionDetails?: { exception?: { description?: string } };
        };
        if (exceptionDetails) {
          throw new Error(`In the browser: ${exceptionDetails.exception?.description ?? "it threw"}`);
        }
        return result.value;
      },
      screenshot: async () => {
        const { data } = await call("Page.captureScreenshot", { format: "png" }) as { data: string };
        return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      },
      close: async () => {
        const closed = new Promise((resolve) => socket.addEventListener("close", resolve, { once: true }));
        child.kill("SIGKILL");
        await Promise.all([gone, closed]);
        await profile.remove();
      },
    };
  } catch (error) {
    child.kill("SIGKILL");
    await gone;
    await profile.remove();
    throw error;
  }
}
