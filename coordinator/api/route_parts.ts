/**
 * Pieces that route definitions share.
 * Invariant: bodies are JSON, required, and described by one schema each.
 */

import { z } from "@hono/zod-openapi";

export const IdempotencyHeader = z.object({
  "idempotency-key": z.string().optional().openapi({ description: "The same key gets the first answer for 24 hours." }),
});

export function jsonBody<S extends z.ZodType>(schema: S) {
  return { required: true, content: { "application/json": { schema } } };
}

export function jsonAnswer<S extends z.ZodType>(description: string, schema: S) {
  return { description, content: { "application/json": { schema } } };
}

/** A whole number in a query, in decimal digits and nothing else. */
export function queryInt({ least, most }: { readonly least: number; readonly most: number }) {
  return z.string().regex(/^\d{1,16}$/, "a whole number is wanted").transform(Number).pipe(z.int().min(least).max(most))
    .openapi({ type: "integer", minimum: least, maximum: most });
}
