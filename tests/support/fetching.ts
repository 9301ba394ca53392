/** A fetcher for tests: loopback opened, names resolved as the test says, time limits that a test can wait for. */

import { createAddressGuard } from "../../edge/http/address_guard.ts";
import { createResolver, type Resolver } from "../../edge/http/resolver.ts";
import { createHttpFetcher } from "../../edge/http/http_fetcher.ts";
import type { Exchange, Fetcher, FetchFailure, FetchLimits, FetchRequest } from "../../edge/ports.ts";
import { systemClock } from "../../runtime/node.ts";
import type { Logger } from "../../runtime/ports.ts";
import { wholeGzip } from "../../runtime/whole_gzip.ts";

export const TEST_LIMITS: FetchLimits = {
  connectMs: 5_000,
  idleMs: 10_000,
  wallMs: 20_000,
  headerBytes: 64 * 1024,
  wireBytes: 10_000_000,
  decodedBytes: 10_000_000,
};

const noop = () => {};
export const SILENT: Logger = { debug: noop, info: noop, warn: noop, error: noop };

/** All addresses of a name; no address where there is none. */
export type TestLookup = (host: string) => Promise<readonly string[]>;

export interface TestFetcherOptions {
  readonly opened?: readonly string[];
  readonly lookup?: TestLookup;
  /** In place of `lookup`. */
  readonly resolver?: Resolver;
  readonly trustedCa?: string;
  readonly maxSocketsPerOrigin?: number;
  readonly maxIdleSockets?: number;
  readonly keepAliveMs?: number;
}

/** Loopback is opened unless `opened` says otherwise. */
export function testFetcher(options: TestFetcherOptions = {}): Fetcher {
  const { opened = ["127.0.0.0/8", "::1/128"], lookup, ...rest } = options;
  const found = lookup && (async (host: string) => ({ addresses: await lookup(host) }));
  return createHttpFetcher({
    guard: createAddressGuard(opened),
    resolver: createResolver({ clock: systemClock, ...(found && { lookup: found }) }),
    clock: systemClock,
    log: SILENT,
    wholeGzip,
    ...rest,
  });
}

export const TEST_HEADERS: FetchRequest["headers"] = [
  ["User-Agent", "Outrider/0 (+test)"],
  ["Accept", "text/html,*/*;q=0.1"],
  ["Accept-Encoding", "gzip, deflate, br, zstd"],
];

export function get(url: string, limits: Partial<FetchLimits> = {}, more: Partial<FetchRequest> = {}): FetchRequest {
  return { url, headers: TEST_HEADERS, limits: { ...TEST_LIMITS, ...limits }, onlyOpened: false, ...more };
}

/** The exchange, or a thrown sentence that shows the failure. */
export function whole(result: Exchange | FetchFailure): Exchange {
  if (!result.ok) throw new Error(`Wanted an exchange, found ${result.failure}: ${result.detail}`);
  return result;
}

/** The failure, or a thrown sentence that shows the exchange. */
export function failed(result: Exchange | FetchFailure): FetchFailure {
  if (result.ok) throw new Error(`Wanted a failure, found status ${result.status} from ${result.url}`);
  return result;
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
