/**
 * The shape that an accepted URL may have: length, number of path segments, repeats of one segment, parameters
 * of the query (traps).
 * Invariant: pure; says no with one of a few reasons, which are counted and can be worked out again at any time.
 */

import { queryParametersOf } from "../order/priority.ts";
import type { FrontierLimits } from "../settings.ts";

export type ShapeReason = "url_bytes" | "path_segments" | "repeated_segment" | "query_parameters";

/**
 * Why `href` (a WHATWG serialisation without fragment, so ASCII but for nothing) is refused; undefined = it may pass.
 * A page that links to itself relatively grows its path at every step; the repeat rule ends that (E17).
 */
export function shapeReason(href: string, limits: FrontierLimits): ShapeReason | undefined {
  if (href.length > limits.urlBytes) return "url_bytes";
  const pathStart = href.indexOf("/", href.indexOf("://") + 3);
  if (pathStart < 0) return undefined;
  const query = href.indexOf("?", pathStart);
  if (query >= 0 && queryParametersOf(href) > limits.queryParameters) return "query_parameters";
  const pathEnd = query < 0 ? href.length : query;
  let segments = 0;
  for (let at = pathStart; at >= 0 && at < pathEnd; at = href.indexOf("/", at + 1)) segments++;
  if (segments > limits.pathSegments) return "path_segments";
  if (segments <= limits.repeatedSegments) return undefined;
  return repeatsTooOften(href.slice(pathStart + 1, pathEnd), limits.repeatedSegments) ? "repeated_segment" : undefined;
}

function repeatsTooOften(path: string, most: number): boolean {
  const counts = new Map<string, number>();
  for (const segment of path.split("/")) {
    if (segment === "") continue;
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > most) return true;
    counts.set(segment, count);
  }
  return false;
}
