/**
 * Schemas of what is shown of one host.
 * Invariant: answers mirror HostView of coordinator/host_ports.ts, in snake_case.
 */

import { z } from "@hono/zod-openapi";
import type { HostPlacement, HostView } from "../host_ports.ts";

const Placement = z.object({
  home: z.string().openapi({ description: 'The nearest region, as far as known; "" = not known.' }),
  pinned: z.string().openapi({ description: 'The only region that may ask, by policy; "" = any.' }),
  next: z.string().openapi({ description: 'The region that the next lease is meant for; "" = whichever comes.' }),
  leased_to: z.string().openapi({ description: 'The region that holds a lease now; "" = none.' }),
  regions: z.array(z.object({
    region: z.string(),
    connect_ms: z.number().optional().openapi({ description: "Least TCP connect time of the last five." }),
    tries: z.int().openapi({ description: "Leases that it was given." }),
    refusals: z.int().openapi({ description: "In a row: 3 for each failed connection, 1 for each 403 or 451." }),
    geo_blocked: z.boolean().openapi({ description: "Refused here while another region is answered." }),
    silent: z.boolean().openapi({ description: "No edge of it asks for leases." }),
    last_leased_at: z.number().openapi({ description: "ms since 1970-01-01 UTC; 0 = never." }),
  })),
}).openapi("HostPlacement");

/** GET /v1/hosts/{host}. */
export const HostAnswer = z.object({ host: z.string(), domain: z.string(), placement: Placement }).openapi("Host");

export function hostAnswer({ host, domain, placement }: HostView): z.infer<typeof HostAnswer> {
  return { host, domain, placement: placementAnswer(placement) };
}

function placementAnswer({ home, pinned, next, leasedTo, regions }: HostPlacement): z.infer<typeof Placement> {
  return {
    home,
    pinned,
    next,
    leased_to: leasedTo,
    regions: regions.map(({ region, connectMs, tries, refusals, isGeoBlocked, isSilent, lastLeasedAt }) => ({
      region,
      tries,
      refusals,
      geo_blocked: isGeoBlocked,
      silent: isSilent,
      last_leased_at: lastLeasedAt,
      ...(connectMs === undefined ? {} : { connect_ms: connectMs }),
    })),
  };
}
