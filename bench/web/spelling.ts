/**
 * Odd spellings of one URL, as pages in the wild write them.
 * Invariant: `canonicalTarget` of every spelling is the path that it was made from, and the host stays the same.
 */

export interface SpelledUrl {
  /** `http://host[:port]`. */
  readonly origin: string;
  /** Canonical path and query. */
  readonly path: string;
}

type Spelling = (url: SpelledUrl, draw: number) => string | undefined;

const whole = ({ origin, path }: SpelledUrl) => origin + path;

/** The path with one of its letters, the `at`-th, written as %XX. */
function escapeLetter(path: string, at: number): string | undefined {
  const letters = [...path.matchAll(/[a-z](?=[a-z])/g)];
  const letter = letters[at % Math.max(1, letters.length)];
  if (!letter || path.slice(0, letter.index).includes("?")) return undefined;
  const hex = letter[0].charCodeAt(0).toString(16);
  return `${path.slice(0, letter.index)}%${at % 2 === 0 ? hex : hex.toUpperCase()}${path.slice(letter.index + 1)}`;
}

function withParameter(path: string, parameter: string): string {
  return path.includes("?") ? `${path}&${parameter}` : `${path}?${parameter}`;
}

const SPELLINGS: readonly Spelling[] = [
  ({ origin, path }) => `HTTP://${origin.slice(7)}${path}`,
  ({ origin, path }) => `http://${origin.slice(7).toUpperCase()}${path}`,
  ({ origin, path }, draw) => `${origin}/${draw % 2 === 0 ? "./" : "gone/../"}${path.slice(1)}`,
  ({ origin, path }) => `${origin}/x/y/%2e%2E/..${path}`,
  (url, draw) => {
    const path = escapeLetter(url.path, draw);
    return path && url.origin + path;
  },
  ({ origin, path }) => (/%[0-9A-F]{2}/.test(path) ? origin + path.toLowerCase() : undefined),
  ({ origin, path }) => (path.includes("%C3%A9") ? origin + path.replace("%C3%A9", "\u00e9") : undefined),
  ({ origin, path }) => (path.includes("~") ? origin + path.replace("~", "%7E") : undefined),
  ({ origin, path }) => {
    const [before, query] = path.split("?");
    return query?.includes("&") ? `${origin}${before}?${query.split("&").reverse().join("&")}` : undefined;
  },
  ({ origin, path }, draw) => origin + withParameter(path, `utm_source=s${draw % 5}&utm_campaign=c`),
  ({ origin, path }, draw) => origin + withParameter(path, draw % 2 === 0 ? "gclid=Cj0" : "fbclid=IwAR0"),
  (url, draw) => `${whole(url)}#part-${draw % 9}`,
  (url) => (url.path.includes("?") ? undefined : `${whole(url)}?`),
  ({ origin, path }) => (/:\d+$/.test(origin) ? origin.replace(/:(\d+)$/, ":0$1") : `${origin}:80`) + path,
  ({ origin, path }) => (path.includes("?") ? undefined : origin + path.replaceAll("/", "\\")),
  (url) => `  ${whole(url)}\t`,
  ({ origin, path }) => `${origin}${path.slice(0, 2)}\n${path.slice(2)}`,
];

/** How many kinds of odd spelling there are. */
export const SPELLING_KINDS = SPELLINGS.length;

/** One odd spelling (before HTML escaping); the next kind that fits this URL when kind `draw` doesn't. */
export function spellOddly(url: SpelledUrl, draw: number): string {
  for (let i = 0; i < SPELLINGS.length; i++) {
    const spelled = SPELLINGS[(draw + i) % SPELLINGS.length]!(url, draw >>> 5);
    if (spelled !== undefined) return spelled;
  }
  return whole(url);
}
