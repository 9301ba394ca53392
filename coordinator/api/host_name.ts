/**
 * A host that is named in a path.
 * Invariant: what comes out is spelt as politeness clocks are kept (protocol/ids.ts, HostKey), or the request is refused.
 */

import { ApiProblem } from "./problem.ts";

/** The host as politeness clocks spell it (ids.ts, HostKey), or a 400. */
export function hostKeyOf(host: string): string {
  const url = URL.parse(`http://${host}/`);
  if (
    url !== null && url.port === "" && url.pathname === "/" && url.username === "" && url.search === "" &&
    !host.endsWith(":80")
  ) {
    return url.hostname;
  }
  throw new ApiProblem(400, `${JSON.stringify(host)} is no hostname: one without scheme, port or path is wanted.`);
}
