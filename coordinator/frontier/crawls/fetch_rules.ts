/**
 * Checks of a crawl's rules for the edge.
 * Invariant: pure; one sentence for each thing that is wrong.
 */

import { type FetchRules, LIMITS } from "../../../protocol/mod.ts";

const NOARCHIVE_USES: readonly string[] = ["mark", "obey"];
/** RFC 6838 4.2, lower case; the subtype may be `*`. */
const MEDIA_RANGE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

export function fetchRuleProblems({ content_types = [], noarchive }: FetchRules): string[] {
  const problems: string[] = [];
  if (content_types.length > LIMITS.contentTypes) {
    problems.push(`A crawl names at most ${LIMITS.contentTypes} media types, but ${content_types.length} were given.`);
  }
  for (const type of content_types) {
    if (MEDIA_RANGE.test(type)) continue;
    problems.push(`The media type ${JSON.stringify(type.slice(0, 120))} is none: type/subtype or type/* is wanted.`);
  }
  if (noarchive !== undefined && !NOARCHIVE_USES.includes(noarchive)) {
    problems.push(`The use of noarchive ${JSON.stringify(noarchive)} is unknown: mark or obey is wanted.`);
  }
  return problems;
}
