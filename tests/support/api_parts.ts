/**
 * The parts of an API over a control plane of tests, with one token for each role.
 */

import type { ApiParts } from "../../coordinator/api/context.ts";
import { parseTokens } from "../../coordinator/api/tokens.ts";
import { nativeDigest, systemRandom } from "../../runtime/node.ts";
import { type ControlPlane, silentLog } from "./control_plane.ts";

export const OPERATOR_TOKEN = "operator-secret";
export const EDGE_TOKEN = "edge-secret";
export const NAMED_EDGE_TOKEN = "tokyo-secret";
export const READER_TOKEN = "reader-secret";

const SETTING = `operator:${OPERATOR_TOKEN} edge:${EDGE_TOKEN} edge:tokyo:${NAMED_EDGE_TOKEN} reader:${READER_TOKEN}`;

export function apiParts({ coordinator, control, clock }: ControlPlane): ApiParts {
  return {
    coordinator,
    ...(coordinator.slots === undefined ? {} : { shards: coordinator.slots.admin }),
    idempotency: control,
    operators: control,
    corsOrigins: [],
    tokens: parseTokens(SETTING, nativeDigest),
    hostnames: [],
    defaults: { version: "0.0.0", contact: "test@example.org", openedAddresses: false },
    clock,
    random: systemRandom,
    digest: nativeDigest,
    log: silentLog,
  };
}
