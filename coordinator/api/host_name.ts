/**
 * A host that is named in a path.
 * Invariant: what comes out is spelt as politeness clocks are kept (protocol/ids.ts, HostKey), or the request is refused.
 */

import { ApiProblem } from "./problem.ts";

/** An address in brackets, or labels with single dots between them. */
const NAME = /^(\[[0-9a-f:]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?)$/;
/** What a URL parser cuts off or drops without a word: another host would be meant. */
const DROPPED = /[#?/\\@:\s]/;

/** The host as politeness clocks spell it (ids.ts, HostKey), or a 400. */
export function hostKeyOf(host: string): string {
  const isPlain = /^\[[0-9a-f:.]+\]$/i.test(host) || !DROPPED.test(host);
  const hostname = isPlain ? URL.parse(`http://${host}/`)?.hostname ?? punycodeOf(host) : undefined;
  if (hostname !== undefined && NAME.test(hostname)) return hostname;
  throw new ApiProblem(400, `${JSON.stringify(host)} is no hostname: one without scheme, port, path or * is wanted.`);
}

/** The core takes Punycode that decodes to nothing as it stands, and the runtimes' parsers don't (docs/NORMALISATION.md). */
function punycodeOf(host: string): string | undefined {
  return /(^|\.)xn--/i.test(host) ? host.toLowerCase() : undefined;
}
