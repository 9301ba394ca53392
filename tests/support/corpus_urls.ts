/** Every URL that the corpora of URL parsing and canonicalisation hold, whatever their sources expect of it. */

import { corpusLines, corpusText } from "./corpora.ts";

export const CANONICALISERS = [
  "apache-nutch",
  "apache-stormcrawler",
  "bubing",
  "crawler-commons",
  "heritrix3",
  "internetarchive-surt",
  "norconex-crawler",
  "normalize-url",
  "purell",
  "w3lib",
  "webarchive-commons",
] as const;

/** One case of 2-url-canon. */
export interface CanonCase {
  readonly source: string;
  readonly op: string;
  readonly input: string;
  readonly expected: unknown;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly notes?: string;
}

export function canonCases(source: string): CanonCase[] {
  return corpusLines<CanonCase>(`2-url-canon/${source}.open.jsonl`);
}

/** Inputs, and what they were expected to become: both are URLs. */
export function corpusUrls(): string[] {
  const fromWpt = JSON.parse(
    corpusText("1-whatwg-url/urltestdata.json"),
  ) as (string | { input: string; href?: string })[];
  const canon = CANONICALISERS.flatMap(canonCases).flatMap(({ input, expected }) => [input, expected]);
  const wpt = fromWpt.flatMap((one) => typeof one === "string" ? [] : [one.input, one.href]);
  return [...canon, ...wpt].filter((url): url is string => typeof url === "string");
}
