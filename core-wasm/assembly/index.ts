/** The core's exports. Re-exports only: door_raw.ts and door_component.ts say what each does. */
export { cabi_realloc } from "./abi";
export * from "./door_filter";
export * from "./door_raw";
export * from "./door_charset";
export * from "./door_scan";
export * from "./door_component";
export * from "./door_pages";
export * from "./door_near";
