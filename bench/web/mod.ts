/** The synthetic web: a seeded server that knows what a crawler should find on it. */

export { DEFAULT_WEB, FEATURES, FINISHING, parseFeatures, WAITING, webConfig } from "./config.ts";
export type { Feature, HostForm, WebConfig } from "./config.ts";
export { startControl, statsOf } from "./control.ts";
export type { Control, WebStats } from "./control.ts";
export { canonicalTarget, hostName, hostNumber } from "./addresses.ts";
export { startWeb } from "./server.ts";
export type { RunningWeb, WebOptions } from "./server.ts";
export type { RequestEntry } from "./request_log.ts";
export { groundTruth, truthOf } from "./truth.ts";
export type { GroundTruth, TruthOptions } from "./truth.ts";
export { createWorld } from "./world.ts";
export type { World } from "./world.ts";
