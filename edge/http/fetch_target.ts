/**
 * Splits a URL into what a connection and a request line need.
 * Invariant: the host is the one that the WHATWG parser names, so `http://2130706433/` is 127.0.0.1 before the guard
 * sees it; only http and https, no userinfo.
 */

export interface Origin {
  /** `scheme://host[:port]`, WHATWG serialisation. */
  readonly origin: string;
  readonly secure: boolean;
  /** `host[:port]`, as the Host field has it. */
  readonly host: string;
  /** Without the brackets of IPv6. */
  readonly hostname: string;
  readonly port: number;
}

export interface FetchTarget {
  readonly origin: Origin;
  /** Path and query, percent-encoded ASCII. */
  readonly path: string;
}

const ASCII_PATH = /^[\x21-\x7e]*$/;

/** A label that claims to be Punycode; the stand-in is none, and as long. */
const PUNYCODE = /(?<=^|\.)xn--/g;
const STAND_IN = "xn0-";

interface Parsed {
  readonly url: URL;
  readonly hostname: string;
}

/**
 * WHATWG's parser leaves hosts of ASCII letters as they are, whatever their Punycode decodes to; those of the runtimes
 * still refuse such as `xn--a`. Their host is parsed with a stand-in for that prefix, and has to come out untouched.
 */
function parsed(href: string): Parsed | undefined {
  const url = URL.parse(href);
  if (url) return { url, hostname: url.hostname };
  const [, before, hostname, rest] = /^(https?:\/\/)([^\s/?#:@\\[\]%]+)(?=[:/?#]|$)(.*)$/s.exec(href) ?? [];
  const standIn = hostname?.replace(PUNYCODE, STAND_IN);
  if (hostname === undefined || standIn === hostname) return undefined;
  const other = URL.parse(`${before}${standIn}${rest}`);
  return other?.hostname === standIn ? { url: other!, hostname } : undefined;
}

function originOf({ url, hostname: name }: Parsed): Origin {
  const secure = url.protocol === "https:";
  const hostname = name.startsWith("[") ? name.slice(1, -1) : name;
  const host = url.port === "" ? name : `${name}:${url.port}`;
  return {
    origin: `${url.protocol}//${host}`,
    secure,
    host,
    hostname,
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
  };
}

/** Remembers the origins that were parsed, as one host is asked many times in a row. */
export class TargetParser {
  readonly #known = new Map<string, Origin>();
  readonly #most: number;

  constructor(mostOrigins = 4096) {
    this.#most = mostOrigins;
  }

  /** The target of `href`, or a sentence that says why it can't be fetched. */
  parse(href: string): FetchTarget | string {
    const slash = href.indexOf("/", 8);
    const known = slash > 0 ? this.#known.get(href.slice(0, slash)) : undefined;
    if (known) {
      const hash = href.indexOf("#", slash);
      const path = href.slice(slash, hash < 0 ? undefined : hash);
      if (ASCII_PATH.test(path)) return { origin: known, path };
    }
    return this.#parseWhole(href);
  }

  #parseWhole(href: string): FetchTarget | string {
    const found = parsed(href);
    if (found === undefined) return `Fetching "${href.slice(0, 200)}" was not tried: it is no absolute URL.`;
    const { url } = found;
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      return `Fetching ${href.slice(0, 200)} was not tried: its scheme is ${url.protocol} and http or https is wanted.`;
    }
    if (url.username !== "" || url.password !== "") {
      return `Fetching ${url.origin} was not tried: the URL holds a user name or password.`;
    }
    const origin = originOf(found);
    if (this.#known.size >= this.#most) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(origin.origin, origin);
    return { origin, path: url.pathname + url.search };
  }
}
