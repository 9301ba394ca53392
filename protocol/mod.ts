/** What crosses the wire. Pure; imports nothing outside this folder. */
export * from "./crawl.ts";
export * from "./ids.ts";
export * from "./ip_address.ts";
export * from "./limits.ts";
export * from "./messages.ts";
export * from "./outcomes.ts";
export * from "./slot.ts";
