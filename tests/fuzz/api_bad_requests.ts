/**
 * Bad requests to the API, made from good ones and the OpenAPI document by a seed.
 * Invariant: each is one that the document refuses - its body doesn't fit the schema, or isn't what it says to be, or a
 * parameter is none - so an answer below 400 is a fault of the API or of the document.
 */

import { LIMITS } from "../../protocol/mod.ts";
import type { ApiTruth } from "../support/api_truth.ts";
import type { GoodRequest } from "../support/api_walk.ts";
import type { Chance } from "./chance.ts";

export interface BadRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** What was done to it. */
  readonly how: string;
}

// deno-lint-ignore no-explicit-any -- JSON
type Json = any;

const DEEP = 5_000;
const CONTROLS = "a\u0000b\u0007\u001b[2J\u2028\ud800\r\nx: y";

/** Values that hardly any field takes. */
function badValues(chance: Chance): Json {
  return chance.pick<() => Json>([
    () => null,
    () => true,
    () => -1,
    () => 1.5,
    () => 1e308,
    () => -1e308,
    () => Number.MAX_SAFE_INTEGER + 2,
    () => "",
    () => CONTROLS,
    () => "x".repeat(chance.pick([300, 20_000, 600_000])),
    () => "../../etc/passwd",
    () => "__proto__",
    () => [],
    () => [[[[]]]],
    () => Array(chance.pick([20_000, 60_000])).fill("https://example.org/"),
    () => ({}),
    () => ({ toString: 1, constructor: null, length: -1 }),
    () => nested(chance.pick([50, 500])),
  ])();
}

function nested(depth: number): Json {
  let value: Json = "x";
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Where values stand in a body, itself included. */
function placesOf(value: Json, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (value === null || typeof value !== "object") return [path];
  return [
    path,
    ...Object.keys(value).flatMap((key) => placesOf(value[key], [...path, Array.isArray(value) ? Number(key) : key])),
  ];
}

function changedAt(
  root: Json,
  path: readonly (string | number)[],
  change: (parent: Json, key: string | number) => void,
): Json {
  const box = { root: structuredClone(root) };
  const all = ["root", ...path];
  let parent: Json = box;
  for (const key of all.slice(0, -1)) parent = parent[key];
  change(parent, all.at(-1)!);
  return box.root;
}

/** A body that the schema refuses; undefined when the attempt came out good. */
function badBody(good: GoodRequest, truth: ApiTruth, chance: Chance): { body: string; how: string } | undefined {
  const place = chance.pick(placesOf(good.json));
  const value = badValues(chance);
  const [how, json] = chance.pick<() => [string, Json]>([
    () => ["replaced", changedAt(good.json, place, (parent, key) => void (parent[key] = value))],
    () => [
      "removed",
      changedAt(
        good.json,
        place,
        (parent, key) => void (Array.isArray(parent) ? parent.splice(Number(key), 1) : delete parent[key]),
      ),
    ],
    () => [
      "renamed",
      changedAt(good.json, place, (parent, key) => {
        if (Array.isArray(parent)) return;
        parent[`${key}s`] = parent[key];
        delete parent[key];
      }),
    ],
    () => [
      "added",
      changedAt(good.json, place, (parent) => void (parent[Array.isArray(parent) ? parent.length : CONTROLS] = value)),
    ],
    () => ["wrapped", changedAt(good.json, place, (parent, key) => void (parent[key] = [parent[key]]))],
    () => ["as text", changedAt(good.json, place, (parent, key) => void (parent[key] = JSON.stringify(parent[key])))],
  ])();
  if (json === undefined || truth.fitsRequest(good.operation, JSON.parse(JSON.stringify(json)))) return undefined;
  return { body: JSON.stringify(json), how: `${how} at ${place.join(".")}` };
}

/** A body that is no JSON, or isn't said to be. */
function brokenBody(good: GoodRequest, chance: Chance): { body: string | Uint8Array; how: string; type?: string } {
  const text = JSON.stringify(good.json);
  return chance.pick<() => { body: string | Uint8Array; how: string; type?: string }>([
    () => ({ body: text.slice(0, chance.below(text.length)), how: "cut" }),
    () => ({ body: `${text}${text}`, how: "twice" }),
    () => ({ body: text.replace("{", "{,"), how: "comma" }),
    () => ({ body: `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`, how: "deep" }),
    () => ({ body: `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`, how: "deep objects" }),
    () => ({ body: text.replace(/\}$/, ',"z":NaN}'), how: "NaN" }),
    () => ({ body: new Uint8Array([0xff, 0xfe, 0x00, 0x7b]), how: "bytes" }),
    () => ({ body: "", how: "empty" }),
    () => ({ body: text, how: "plain text", type: "text/plain" }),
    () => ({ body: text, how: "form", type: "application/x-www-form-urlencoded" }),
    () => ({ body: text, how: "multipart", type: "multipart/form-data; boundary=x" }),
    () => ({ body: " ".repeat(LIMITS.apiBodyBytes + 1), how: "too large" }),
  ])();
}

const BAD_PARTS = [
  "%zz",
  "%",
  "%00",
  "%ff%fe",
  "%2e%2e%2f",
  "%0d%0aX-A:%20b",
  "a".repeat(5000),
  "%F0%9F%92%A9%20",
  "..;",
  "@",
  "%5B::1",
];

/** Path parameters that are none, queries that don't fit. */
function badPath(good: GoodRequest, truth: ApiTruth, chance: Chance): { path: string; how: string } | undefined {
  const parameters = truth.parameters(good.operation);
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const [path, query = ""] = good.path.split("?") as [string, string?];
  if (inPath.length > 0 && chance.below(2) === 0) {
    const [, pattern] = good.operation.split(" ") as [string, string];
    const part = chance.pick(BAD_PARTS);
    const at = pattern.split("/").findIndex((segment) => segment.startsWith("{"));
    const segments = path.split("/");
    segments[at] = part;
    return { path: `${segments.join("/")}${query === "" ? "" : `?${query}`}`, how: `path ${part.slice(0, 20)}` };
  }
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  if (inQuery.length === 0) return undefined;
  const fields = new URLSearchParams(query);
  const required = inQuery.filter((parameter) => parameter.required);
  return chance.pick<() => { path: string; how: string } | undefined>([
    // Edges may be newer than their coordinator: what it doesn't know of their messages it drops.
    () => path.startsWith("/v1/frontier/") ? undefined : { path: `${path}?${query}&none=1`, how: "unknown parameter" },
    () => {
      if (required.length === 0) return undefined;
      fields.delete(chance.pick(required).name);
      return { path: `${path}?${fields}`, how: "missing parameter" };
    },
    () => {
      const { name, schema } = chance.pick(inQuery);
      const type = truth.resolved(schema).type;
      if (type !== "number" && type !== "integer") return undefined;
      fields.set(name, chance.pick(["x", "-1", "1e999", "1.5", "9".repeat(400), "NaN", "0x10\u0000"]));
      return { path: `${path}?${fields}`, how: `number ${name}=${fields.get(name)!.slice(0, 20)}` };
    },
    () => {
      const { name, schema } = chance.pick(inQuery);
      if (truth.resolved(schema).type !== "string") return undefined;
      const value = name === "url" ? chance.pick(["%zz", "%00", "mailto:a", "x".repeat(10_000)]) : "%00".repeat(700);
      fields.delete(name);
      return { path: `${path}?${fields}&${name}=${value}`, how: `text ${name}` };
    },
  ])();
}

/** Undefined: this attempt came to nothing. */
export function badRequest(good: readonly GoodRequest[], truth: ApiTruth, chance: Chance): BadRequest | undefined {
  const request = chance.pick(good);
  const { operation, method, path } = request;
  const base = { operation, method, path, headers: {} };
  if (request.json === undefined || chance.below(4) === 0) {
    const wrong = badPath(request, truth, chance);
    if (wrong === undefined) return undefined;
    const headers: Record<string, string> = request.json === undefined ? {} : { "content-type": "application/json" };
    return {
      ...base,
      ...wrong,
      headers,
      ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
    };
  }
  if (chance.below(4) === 0) {
    const { body, how, type = "application/json" } = brokenBody(request, chance);
    return { ...base, headers: { "content-type": type }, body, how };
  }
  const wrong = badBody(request, truth, chance);
  return wrong && { ...base, headers: { "content-type": "application/json" }, ...wrong };
}
