/**
 * The servers of the simulated web: what each request is answered with, and when.
 * Invariant: an answer depends on the plan, on chance and on how often the same URL was asked for; a page never fails
 * more often than its plan says.
 */

import type { Chance } from "./chance.ts";
import {
  CRAWL_DELAY_S,
  type HostPlan,
  type PagePlan,
  RETRY_AFTER_S,
  ROBOTS_FAILURES,
  type WebPlan,
} from "./web_plan.ts";

export interface Answer {
  /** Absent: the connection breaks off instead. */
  readonly status?: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** From arrival to the first byte, ms; beyond every time limit where the server stays silent. */
  readonly serviceMs: number;
  /** From the first byte to the last, ms. */
  readonly transferMs: number;
}

export type Connecting = "ok" | "dns" | "connect_refused" | "connect_timeout";

const HTML = [["Content-Type", "text/html; charset=utf-8"]] as const;
const PLAIN = [["Content-Type", "text/plain; charset=utf-8"]] as const;
const SILENCE_MS = 10_000_000;
/** What a page's trouble looks like; each costs the URL an attempt. */
const TROUBLES = ["503", "503 later", "429", "500", "reset", "silent"] as const;

export class WebServer {
  readonly #plan: WebPlan;
  readonly #chance: Chance;
  /** Failures left, by URL. */
  readonly #failures = new Map<string, number>();
  /** Every word of a page is its own, but for a few pages that are the same everywhere. */
  readonly #bodies = new Map<string, string>();

  constructor(plan: WebPlan, chance: Chance) {
    this.#plan = plan;
    this.#chance = chance;
    for (const page of plan.pages.values()) this.#failures.set(pathOf(page.url), page.failures);
    for (const host of plan.hosts.values()) {
      const count = host.robots === "flapping" ? 1 + chance.below(ROBOTS_FAILURES) : 0;
      this.#failures.set(`${host.name}/robots.txt`, count);
    }
  }

  /** Somebody wants a connection for a request of `url`. */
  connect(url: string): Connecting {
    const host = this.#plan.hosts.get(new URL(url).hostname);
    if (host === undefined || host.isGone) return "dns";
    const path = pathOf(url);
    const left = this.#failures.get(path) ?? 0;
    if (left === 0 || !this.#chance.is(0.4)) return "ok";
    this.#failures.set(path, left - 1);
    return this.#chance.pick(["connect_refused", "connect_timeout"] as const);
  }

  /** One request has arrived. `url` is a WHATWG href. */
  answer(url: string): Answer {
    const host = this.#plan.hosts.get(new URL(url).hostname)!;
    const path = pathOf(url);
    const left = this.#failures.get(path) ?? 0;
    if (left > 0) {
      this.#failures.set(path, left - 1);
      return this.#failing(host);
    }
    if (path.endsWith("/robots.txt")) return this.#robots(host);
    if (path.includes("/robots-of-")) return this.#rules(host, path.slice(path.indexOf("/robots-of-") + 11));
    return this.#page(host, path, url);
  }

  #timed(host: HostPlan, answer: Omit<Answer, "serviceMs" | "transferMs">): Answer {
    const [least, most] = host.serviceMs;
    const serviceMs = least + this.#chance.below(most - least);
    return { ...answer, serviceMs, transferMs: this.#chance.below(50) };
  }

  #failing(host: HostPlan): Answer {
    const bare = { headers: [] as Answer["headers"], body: "" };
    const later = [["Retry-After", String(RETRY_AFTER_S)]] as const;
    switch (this.#chance.pick(TROUBLES)) {
      case "503":
        return this.#timed(host, { ...bare, status: 503 });
      case "503 later":
        return this.#timed(host, { ...bare, status: 503, headers: later });
      case "429":
        return this.#timed(host, { ...bare, status: 429, headers: later });
      case "500":
        return this.#timed(host, { ...bare, status: 500 });
      case "reset":
        return this.#timed(host, bare);
      case "silent":
        return { ...bare, serviceMs: SILENCE_MS, transferMs: 0 };
    }
  }

  #robots(host: HostPlan): Answer {
    switch (host.robots) {
      case "none":
        return this.#timed(host, { status: 404, headers: PLAIN, body: "none" });
      case "elsewhere": {
        const location = `http://${host.robotsAt}/robots-of-${host.name}`;
        return this.#timed(host, { status: 302, headers: [["Location", location]], body: "" });
      }
      default:
        return this.#rules(host, host.name);
    }
  }

  #rules(host: HostPlan, of: string): Answer {
    const delay = this.#plan.hosts.get(of)?.robots === "slow" ? `Crawl-delay: ${CRAWL_DELAY_S}\n` : "";
    return this.#timed(host, { status: 200, headers: PLAIN, body: `User-agent: *\n${delay}Disallow: /private/\n` });
  }

  #page(host: HostPlan, path: string, url: string): Answer {
    const page = this.#plan.pages.get(`http://${path}`) ?? deepPage(this.#plan, path);
    if (page === undefined || page.kind === "missing") {
      return this.#timed(host, { status: 404, headers: HTML, body: `<p>nothing at ${url}` });
    }
    if (page.kind === "redirect") {
      return this.#timed(host, { status: 301, headers: [["Location", page.location]], body: "" });
    }
    const body = this.#bodyOf(page, path);
    return this.#timed(host, { status: 200, headers: page.kind === "text" ? PLAIN : HTML, body });
  }

  #bodyOf(page: PagePlan, path: string): string {
    let body = this.#bodies.get(path);
    if (body === undefined) {
      const words = path.length % 7 === 0 ? "the same words stand on this page as on others" : `words of ${path}`;
      const links = page.links.map((link) => `<a href="${link.replaceAll("&", "&amp;")}">${link.length}</a>`);
      body = `<!doctype html><title>${path}</title><p>${words}</p>${links.join("\n")}`;
      this.#bodies.set(path, body);
    }
    return body;
  }
}

/** Below /deep/ there is always one more. */
function deepPage(plan: WebPlan, path: string): PagePlan | undefined {
  const top = path.replace(/(\/deep)+\/$/, "/deep/");
  return top === path ? undefined : plan.pages.get(`http://${top}`);
}

/** Host and path with the query, as it was planned: spellings of one key are one page. */
export function pathOf(url: string): string {
  const { hostname, pathname, searchParams } = new URL(url);
  searchParams.delete("utm_source");
  const query = String(searchParams);
  return `${hostname}${pathname}${query === "" ? "" : `?${query}`}`;
}
