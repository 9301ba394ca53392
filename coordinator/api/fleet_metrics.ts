/**
 * The fleet's figures as Prometheus families: fetch slots, edges, regions.
 * Invariant: as many samples as there are causes, edges and regions, whatever the crawls.
 */

import { type FleetView, IDLE_CAUSES } from "../fleet_ports.ts";
import type { Family } from "./prometheus.ts";

export function fleetFamilies({ slots, edges, regions }: FleetView): Family[] {
  const seconds = (ms: number) => Math.round(ms * 1000) / 1_000_000;
  return [
    {
      name: "outrider_fetch_slots_asked_total",
      type: "counter",
      help: "Leases that edges had room for.",
      samples: [[{}, slots.asked]],
    },
    {
      name: "outrider_fetch_slots_idle_total",
      type: "counter",
      help: "Leases that edges had room for and didn't get, by cause.",
      samples: IDLE_CAUSES.map((cause) => [{ cause }, slots.idle[cause]]),
    },
    {
      name: "outrider_fetch_slots_idle_seconds_total",
      type: "counter",
      help: "How long such slots stayed idle, by cause.",
      samples: IDLE_CAUSES.map((cause) => [{ cause }, seconds(slots.idleMs[cause])]),
    },
    {
      name: "outrider_ready_queues_per_slot",
      type: "gauge",
      help: "Back queues ready in memory per fetch slot asked for, at most 3.",
      samples: slots.readyPerSlot === undefined ? [] : [[{}, slots.readyPerSlot]],
    },
    {
      name: "outrider_edge_unhealthy",
      type: "gauge",
      help: "1 while an edge takes no leases for trouble of its machine.",
      samples: edges.map(({ worker, region, unhealthy }) => [{ worker, region }, unhealthy === undefined ? 0 : 1]),
    },
    {
      name: "outrider_region_connect_seconds",
      type: "gauge",
      help: "Median TCP connect time of a region, right to a fifth.",
      samples: regions.flatMap(({ region, medianConnectMs }) =>
        medianConnectMs === undefined ? [] : [[{ region }, seconds(medianConnectMs)] as const]
      ),
    },
    {
      name: "outrider_region_silent",
      type: "gauge",
      help: "1 while no edge of the region asks for leases.",
      samples: regions.map(({ region, isSilent }) => [{ region }, isSilent ? 1 : 0]),
    },
    {
      name: "outrider_region_leases",
      type: "gauge",
      help: "Leases that a region holds.",
      samples: regions.map(({ region, leases }) => [{ region }, leases]),
    },
  ];
}
