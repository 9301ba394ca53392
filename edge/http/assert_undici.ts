/**
 * Makes sure that the HTTP client is undici itself. Bun puts a shim of its own behind `undici`, which ignores
 * dispatchers and connectors, and with them the address guard.
 * Invariant: throws unless the module has parts that only the real package has. Fails closed.
 */

/** Names that Bun's shim lacks (its `interceptors` are redirect, retry and dump only). */
const INTERCEPTORS = ["dns", "decompress", "cache"] as const;

/** Throws a sentence when `module` isn't the real undici. */
export function assertUndici(module: object): void {
  const { Client, buildConnector, interceptors } = module as Record<string, unknown>;
  const missing = INTERCEPTORS.filter((name) =>
    typeof (interceptors as Record<string, unknown>)?.[name] !== "function"
  );
  const dispatches = typeof (Client as { prototype?: { dispatch?: unknown } })?.prototype?.dispatch === "function";
  if (missing.length === 0 && dispatches && typeof buildConnector === "function") return;
  throw new Error(
    "Loading the HTTP client found a substitute that ignores the address guard; wanted the npm package undici, " +
      'installed under the alias "undici-client".',
  );
}
