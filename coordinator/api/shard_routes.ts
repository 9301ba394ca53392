/**
 * Routes for whoever runs the frontier's databases: which shards there are, a further one, a slot that is to go elsewhere.
 * Invariant: 202 means that the directory has it; the owners of the shards do it one slot at a time.
 */

import { createRoute, z } from "@hono/zod-openapi";
import type { ShardAdmin, ShardsView } from "../slot_ports.ts";
import type { ApiParts, App } from "./context.ts";
import { ApiProblem, problemResponses } from "./problem.ts";
import { jsonAnswer, jsonBody } from "./route_parts.ts";

const LONGEST_LOCATION = 2_048;
const LAST_SLOT = 4_095;
const MOST_SHARDS = 4_096;

const Shards = z.object({
  map_version: z.int(),
  spreading: z.boolean().openapi({ description: "Slots move until every shard has as many." }),
  moves: z.array(z.object({
    slot: z.int(),
    from: z.int(),
    to: z.int(),
    state: z.enum(["freezing", "drained", "copied"]).openapi({
      description: "freezing: leases of it run out; drained: it is being copied; copied: its new owner has it.",
    }),
  })),
  shards: z.array(z.object({
    shard: z.int(),
    location: z.string().openapi({ description: "Where its database is: a path, or a URL without token." }),
    owner_url: z.string().optional(),
    slots: z.int(),
    urls: z.int().optional().openapi({ description: "URLs that it ever accepted; absent = its owner knows." }),
    giant: z.object({ slot: z.int(), share: z.number() }).optional().openapi({
      description: "A slot that holds most of its URLs: it can't be split, and isn't moved by itself.",
    }),
  })),
}).openapi("Shards");

const list = createRoute({
  method: "get",
  path: "/v1/shards",
  summary: "The shards, where they are, and the slots on their way between them",
  responses: { 200: jsonAnswer("The shards", Shards), ...problemResponses(409) },
});

const add = createRoute({
  method: "post",
  path: "/v1/shards",
  summary: "Adds a shard; slots move to it one at a time until all have as many",
  request: {
    body: jsonBody(
      z.object({
        location: z.string().min(1).max(LONGEST_LOCATION).openapi({
          description: "An empty database: an absolute path that each coordinator can open, or a libsql:, https: or " +
            "http: URL without token.",
        }),
      }).strict(),
    ),
  },
  responses: { 202: jsonAnswer("Added", z.object({ shard: z.int() })), ...problemResponses(400, 409, 413, 415) },
});

const move = createRoute({
  method: "post",
  path: "/v1/slots/{slot}/move",
  summary: "Sends one slot to another shard, while the crawl goes on; it stays there",
  request: {
    params: z.object({
      slot: z.string().regex(/^\d{1,4}$/, "a slot from 0 to 4095 is wanted").transform(Number).pipe(
        z.int().min(0).max(LAST_SLOT),
      ).openapi({ type: "integer", minimum: 0, maximum: LAST_SLOT }),
    }),
    body: jsonBody(z.object({ to: z.int().min(0).max(MOST_SHARDS - 1) }).strict()),
  },
  responses: {
    202: jsonAnswer("On its way", z.object({ slot: z.int(), from: z.int(), to: z.int() })),
    ...problemResponses(400, 404, 409, 413, 415),
  },
});

export function addShardRoutes(app: App, { shards }: ApiParts) {
  return app.openapi(list, async (c) => c.json(answerOf(await adminOf(shards).shards()), 200))
    .openapi(add, async (c) => {
      const { location } = c.req.valid("json");
      checkLocation(location);
      return c.json({ shard: await adminOf(shards).addShard(location) }, 202);
    })
    .openapi(move, async (c) => {
      const { slot } = c.req.valid("param");
      const { to } = c.req.valid("json");
      const answer = await adminOf(shards).moveSlot(slot, to);
      if (answer.status === "begun") return c.json({ slot, from: answer.from, to }, 202);
      if (answer.status === "unknown") throw new ApiProblem(404, `There is no shard ${to}; GET /v1/shards lists them.`);
      const found = answer.status === "there" ? `it is in shard ${to}` : `it is on its way to shard ${answer.to}`;
      throw new ApiProblem(409, `Moving slot ${slot} to shard ${to}: ${found} already.`);
    });
}

function adminOf(shards: ShardAdmin | undefined): ShardAdmin {
  if (shards !== undefined) return shards;
  throw new ApiProblem(409, "This coordinator has no directory of shards: its databases are those of its data folder.");
}

function checkLocation(location: string): void {
  const isUrl = /^(libsql|https?):\/\//i.test(location);
  const url = isUrl && URL.canParse(location) ? new URL(location) : undefined;
  const isPlain = url !== undefined && url.username === "" && url.password === "" && url.search === "" &&
    url.hash === "";
  if (isUrl ? isPlain : /^(\/|[A-Za-z]:[\\/])/.test(location)) return;
  throw new ApiProblem(
    400,
    `Adding a shard at ${
      JSON.stringify(location.slice(0, 200))
    }: an absolute path is wanted, or a libsql:, https: or ` +
      "http: URL without user, query and token.",
  );
}

function answerOf({ mapVersion, spreading, moves, shards }: ShardsView): z.infer<typeof Shards> {
  return {
    map_version: mapVersion,
    spreading,
    moves: moves.map(({ slot, from, to, state }) => ({ slot, from, to, state })),
    shards: shards.map(({ shard, location, ownerUrl, slots, urls, giant }) => ({
      shard,
      location,
      slots,
      ...(ownerUrl === "" ? {} : { owner_url: ownerUrl }),
      ...(urls === undefined ? {} : { urls }),
      ...(giant === undefined ? {} : { giant: { ...giant } }),
    })),
  };
}
