/** Which runtime runs this. */

export const RUNTIME_NAME = "Bun" in globalThis ? "bun" : "deno";
