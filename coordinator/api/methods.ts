/**
 * Which methods a path has, for 405 answers.
 * Invariant: read from the routes themselves, so it can't differ from them.
 */

import type { App } from "./context.ts";

/** Upper-case methods of the routes whose path fits; empty = nothing is there. */
export function methodsOf(app: App, path: string): string[] {
  const fitting = app.routes.filter((route) => route.method !== "ALL" && pattern(route.path).test(path));
  return [...new Set(fitting.map(({ method }) => method))].sort();
}

/** Hono's `/a/:b` as a regular expression. */
function pattern(routePath: string): RegExp {
  const parts = routePath.split("/").map((part) =>
    part.startsWith(":") ? "[^/]+" : part.replaceAll(/[^A-Za-z0-9_-]/g, "\\$&")
  );
  return new RegExp(`^${parts.join("/")}$`);
}
