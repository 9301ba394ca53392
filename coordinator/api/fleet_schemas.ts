/**
 * Schema of what is shown of the fleet.
 * Invariant: answers mirror FleetView of coordinator/fleet_ports.ts, in snake_case.
 */

import { z } from "@hono/zod-openapi";
import { type FleetView, IDLE_CAUSES } from "../fleet_ports.ts";

const ByCause = z.object({
  no_allowed_host: z.number(),
  store: z.number(),
  refused: z.number(),
  nothing_queued: z.number(),
});

/** GET /v1/fleet. */
export const FleetAnswer = z.object({
  slots: z.object({
    asked: z.int().openapi({ description: "Leases that edges had room for, since the start." }),
    ready_per_slot: z.number().optional().openapi({
      description: "Back queues ready in memory per fetch slot asked for, of late; at most 3.",
    }),
    idle: ByCause.openapi({ description: "Of those asked, the ones that got nothing, by cause." }),
    idle_seconds: ByCause,
  }),
  edges: z.array(z.object({
    worker: z.string(),
    region: z.string(),
    leases: z.int().openapi({ description: "Leases that it holds." }),
    asked_seconds_ago: z.number().openapi({ description: "Since it last asked for leases." }),
    unhealthy: z.string().optional().openapi({
      description: "Why it takes no leases now, by its own word; absent when it is well.",
    }),
    unhealthy_seconds: z.number().optional(),
  })),
  regions: z.array(z.object({
    region: z.string(),
    silent: z.boolean().openapi({ description: "No edge of it asks for leases, or none has room." }),
    leases: z.int().openapi({ description: "Leases that it holds." }),
    median_connect_ms: z.number().optional(),
  })),
}).openapi("Fleet");

export function fleetAnswer({ slots, edges, regions }: FleetView): z.infer<typeof FleetAnswer> {
  const idleSeconds = Object.fromEntries(IDLE_CAUSES.map((cause) => [cause, slots.idleMs[cause] / 1000]));
  return {
    slots: {
      asked: slots.asked,
      idle: slots.idle,
      idle_seconds: idleSeconds as z.infer<typeof ByCause>,
      ...(slots.readyPerSlot === undefined ? {} : { ready_per_slot: slots.readyPerSlot }),
    },
    edges: edges.map(({ worker, region, leases, askedAgoMs, unhealthy, unhealthyForMs = 0 }) => ({
      worker,
      region,
      leases,
      asked_seconds_ago: askedAgoMs / 1000,
      ...(unhealthy === undefined ? {} : { unhealthy, unhealthy_seconds: unhealthyForMs / 1000 }),
    })),
    regions: regions.map(({ region, isSilent, leases, medianConnectMs }) => ({
      region,
      silent: isSilent,
      leases,
      ...(medianConnectMs === undefined ? {} : { median_connect_ms: medianConnectMs }),
    })),
  };
}
