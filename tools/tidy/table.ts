/**
 * The style rules that a machine can check, as data. Change the table, not the program.
 */

/** A part of the house: the first entry whose `path` begins a file's path is the file's. */
export interface Room {
  readonly path: string;
  /** Path prefixes that its files may import (besides their own room). */
  readonly mayImport: readonly string[];
  /** Packages and `node:` that its files may import; `"*"` = any. */
  readonly packages: readonly string[];
  /** Domain code: time, chance, network and storage are arguments. */
  readonly pure: boolean;
}

const CORE_TYPES = "core-wasm/core.ts";
const PORTS = "runtime/ports.ts";
/** Interfaces between the frontier, its stores and its API. */
const FRONTIER_PORTS = [
  "coordinator/ports.ts",
  "coordinator/crawl_ports.ts",
  "coordinator/reader_ports.ts",
  "coordinator/group_ports.ts",
  "coordinator/explain_ports.ts",
  "coordinator/host_ports.ts",
  "coordinator/operator_ports.ts",
  "coordinator/owner_ports.ts",
  "coordinator/page_ports.ts",
  "coordinator/recrawl_ports.ts",
  "coordinator/seen_ports.ts",
  "coordinator/slot_ports.ts",
];

export const ROOMS: readonly Room[] = [
  { path: "protocol/", mayImport: [], packages: [], pure: true },
  { path: "runtime/", mayImport: [], packages: ["*"], pure: false },
  { path: "core-wasm/", mayImport: ["protocol/"], packages: ["*"], pure: false },
  {
    path: "edge/steps/",
    mayImport: ["protocol/", "edge/ports.ts", "edge/calendar.ts", "edge/robots/", CORE_TYPES, PORTS],
    packages: [],
    pure: true,
  },
  { path: "edge/robots/", mayImport: ["protocol/"], packages: [], pure: true },
  {
    path: "edge/sitemap/",
    mayImport: ["protocol/", "edge/calendar.ts", CORE_TYPES],
    packages: ["htmlparser2"],
    pure: true,
  },
  {
    path: "edge/warc/",
    mayImport: ["protocol/", "edge/ports.ts", "edge/calendar.ts", CORE_TYPES, PORTS],
    packages: [],
    pure: true,
  },
  {
    path: "edge/http/",
    mayImport: ["protocol/", "edge/ports.ts", PORTS],
    packages: ["node:", "dns-packet", "tough-cookie"],
    pure: false,
  },
  {
    path: "edge/adapters/",
    mayImport: ["protocol/", "edge/ports.ts", PORTS],
    packages: [],
    pure: false,
  },
  { path: "edge/", mayImport: ["protocol/", CORE_TYPES, PORTS], packages: [], pure: true },
  {
    path: "coordinator/frontier/",
    mayImport: [
      "protocol/",
      ...FRONTIER_PORTS,
      "coordinator/fleet_ports.ts",
      CORE_TYPES,
      PORTS,
    ],
    packages: [],
    pure: true,
  },
  {
    path: "coordinator/store/",
    mayImport: [
      "protocol/",
      ...FRONTIER_PORTS,
      PORTS,
    ],
    packages: ["@libsql/client", "node:"],
    pure: false,
  },
  {
    path: "coordinator/api/",
    mayImport: [
      "protocol/",
      ...FRONTIER_PORTS,
      "coordinator/fleet_ports.ts",
      "coordinator/frontier/",
      "runtime/",
    ],
    packages: ["hono", "@hono/zod-openapi", "zod"],
    pure: false,
  },
  { path: "coordinator/", mayImport: ["protocol/", PORTS, CORE_TYPES], packages: [], pure: true },
  {
    path: "cli/",
    mayImport: ["protocol/", "runtime/", "core-wasm/", "edge/", "coordinator/", "bench/"],
    packages: ["commander", "@logtape/logtape", "yazl", "node:"],
    pure: false,
  },
  {
    path: "bench/",
    mayImport: [
      "protocol/",
      "runtime/",
      "core-wasm/",
      "edge/",
      "coordinator/",
      "tests/support/",
      "cli/listing_thread.ts",
    ],
    packages: ["*"],
    pure: false,
  },
  { path: "tools/", mayImport: ["core-wasm/", "runtime/"], packages: ["node:"], pure: false },
  { path: "examples/", mayImport: ["protocol/", "coordinator/", "core-wasm/"], packages: ["*"], pure: false },
  { path: "tests/", mayImport: [""], packages: ["*"], pure: false },
];

/** Tests beside their file may import anything that crosses modules only through these. */
export const TESTS_MAY_ALSO_IMPORT: readonly string[] = ["tests/support/", "runtime/", "core-wasm/", "protocol/"];

/** One file each may import these. */
export const ONLY_IN: Readonly<Record<string, string>> = {
  "@libsql/client": "coordinator/store/libsql_client.ts",
};

/** Never imported: on Bun it is a shim that ignores dispatchers, and so the address guard. ADR 12. */
export const NEVER: readonly string[] = ["undici"];

/** Not to be named in pure rooms. */
export const BANNED_IN_PURE: readonly RegExp[] = [
  /\bDate\b/,
  /\bMath\.random\b/,
  /(?<![\w.#])fetch\((?![^)]*\)\s*[:{])/,
  /\bset(Timeout|Interval|Immediate)\b/,
  /\bcrypto\b/,
  /\bconsole\b/,
  /\bDeno\b/,
  /\bBun\b/,
  /\bprocess\./,
  /\bperformance\b/,
];

/** Names Deno or Bun: only here. */
export const RUNTIME_ROOMS: readonly string[] = [
  "runtime/",
  "tests/",
  "bench/",
  "tools/",
  "examples/",
  "core-wasm/build",
];

export const BANNED_FOLDERS: readonly string[] = ["src", "lib", "utils", "common", "helpers", "types", "services"];

/** Where a reader starts: what none of these reaches is dead. */
export const ROOTS: readonly RegExp[] = [
  /^cli\/main\.ts$/,
  /^core-wasm\/(mod|build)\.ts$/,
  /(^|\/)main\.ts$/,
  /_thread_main\.ts$/,
  /_test\.ts$/,
  /^tools\/[^/]+\.ts$/,
  /^bench\/[^/]+\.ts$/,
  /^examples\//,
  /^tests\/(runtimes|simulation)\//,
  /^tests\/support\/\w+_child\.ts$/,
];

/** Compiled by AssemblyScript or generated: other rules hold. */
export const SKIPPED: readonly RegExp[] = [/^core-wasm\/assembly\//, /^core-wasm\/build\//, /(^|\/)node_modules\//];

export const FILE_LINES = 400;
export const MEDIAN_LINES = 120;
export const FUNCTION_LINES = 70;
/** Files of data: tables that a program or a person reads line by line. */
export const LONG_DATA: readonly RegExp[] = [/_(table|data|names)\.ts$/];
