/**
 * The Unpack port: gzip undone as a response's content-coding is.
 */

import type { Unpack } from "../ports.ts";
import { decodeBody } from "./content_coding.ts";

export const unpackGzip: Unpack = async (body, capBytes) => {
  const { bytes, problem, capped } = await decodeBody(body, ["gzip"], capBytes);
  return { bytes, isCut: capped || problem !== undefined };
};
