/**
 * Whether a crawl wants a response's body, by its declared media type.
 * Invariant: pure; only 2xx answers are refused, and none that declares no type: what it is shows in its body alone.
 */

import type { Exchange } from "../ports.ts";
import { header, mediaType } from "./scan.ts";

/** The head's verdict for a crawl that wants these types; undefined where it wants all. */
export function unwantedType(
  contentTypes: readonly string[] | undefined,
): ((head: Pick<Exchange, "status" | "headers">) => string | undefined) | undefined {
  if (contentTypes === undefined || contentTypes.length === 0) return undefined;
  const wanted = new Set(contentTypes);
  return (head) => {
    if (head.status < 200 || head.status > 299) return undefined;
    const type = mediaType(header(head, "content-type"));
    if (type === "" || wanted.has(type) || wanted.has(`${type.split("/", 1)[0]}/*`)) return undefined;
    return `content type: ${type.slice(0, 100)} isn't wanted`;
  };
}
