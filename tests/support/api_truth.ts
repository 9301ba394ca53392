/**
 * Checks answers against the OpenAPI document that the same API gives.
 * Invariant: an answer passes only when its route, status and content type are documented, and its body fits the schema
 * without a field that isn't in it.
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

// deno-lint-ignore no-explicit-any -- JSON
type Json = any;

export interface Answered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

export class ApiTruth {
  readonly #document: Json;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Json) {
    this.#document = closed(document);
    this.#ajv.addSchema(this.#document, "document");
  }

  operations(): string[] {
    return Object.entries(this.#document.paths as Json).flatMap(([path, operations]) =>
      Object.keys(operations as Json).map((method) => `${method.toUpperCase()} ${path}`)
    );
  }

  /** `GET /v1/crawls/{crawl_id}` for a request; undefined when the document has none. */
  operationOf(method: string, path: string): string | undefined {
    const asked = path.split("?")[0]!;
    const wanted = method === "HEAD" ? "GET" : method;
    const fitting = this.operations().filter((operation) => {
      const [verb, pattern] = operation.split(" ") as [string, string];
      return verb === wanted && new RegExp(`^${pattern.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(asked);
    });
    return fitting.sort((a, b) => a.split("{").length - b.split("{").length)[0];
  }

  /** The schema of an operation's JSON body, references resolved by `fits`; undefined = it takes none. */
  requestSchema(operation: string): Json | undefined {
    const [method, path] = operation.split(" ") as [string, string];
    return this.#document.paths[path][method.toLowerCase()].requestBody?.content["application/json"].schema;
  }

  parameters(operation: string): Json[] {
    const [method, path] = operation.split(" ") as [string, string];
    return this.#document.paths[path][method.toLowerCase()].parameters ?? [];
  }

  /** Follows a reference. */
  resolved(schema: Json): Json {
    return schema.$ref === undefined ? schema : this.#document.components.schemas[schema.$ref.split("/").pop()];
  }

  fitsRequest(operation: string, json: unknown): boolean {
    const [method, path] = operation.split(" ") as [string, string];
    const where = ["paths", path, method.toLowerCase(), "requestBody", "content", "application/json", "schema"];
    return this.#validator(where)(json) as boolean;
  }

  /** What is untrue; undefined = nothing. */
  lie({ method, path, status, contentType, body }: Answered): string | undefined {
    const type = contentType.split(";")[0]!;
    const operation = this.operationOf(method, path);
    const isProblem = type === "application/problem+json";
    if (operation === undefined) {
      if (status < 400 || !isProblem) return `${method} ${path} isn't documented, but answered ${status} ${type}`;
      return this.#check(["components", "schemas", "Problem"], body);
    }
    const [verb, pattern] = operation.split(" ") as [string, string];
    const responses = this.#document.paths[pattern][verb.toLowerCase()].responses;
    if (responses[status]?.content?.[type] === undefined) return `${operation}: ${status} ${type} isn't documented`;
    const where = ["paths", pattern, verb.toLowerCase(), "responses", String(status), "content", type, "schema"];
    const wrong = /json/.test(type) ? this.#check(where, body) : undefined;
    return wrong === undefined ? undefined : `${operation} ${status}: ${wrong}`;
  }

  #check(where: readonly string[], body: unknown): string | undefined {
    const validate = this.#validator(where);
    return validate(body)
      ? undefined
      : `${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 500)}`;
  }

  #validator(where: readonly string[]): ValidateFunction {
    const pointer = where.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    let found = this.#validators.get(pointer);
    if (found === undefined) this.#validators.set(pointer, found = this.#ajv.compile({ $ref: `document#/${pointer}` }));
    return found;
  }
}

/** Answers with no fields beyond those that are named: objects that name their fields and are no part of another are closed. */
function closed(document: Json): Json {
  const copy = structuredClone(document);
  const parts = new Set(Array.from(JSON.stringify(copy).matchAll(/"allOf":\[\{"\$ref":"([^"]+)"/g), ([, ref]) => ref));
  const close = (node: Json, name: string, isPart: boolean): void => {
    if (node === null || typeof node !== "object") return;
    for (const [key, child] of Object.entries(node)) {
      close(child, key, key === "allOf" || (isPart && Array.isArray(node)) || parts.has(`#/components/schemas/${key}`));
    }
    const isObject = node.properties !== undefined && typeof node.properties === "object" && node.type !== undefined;
    if (name !== "requestBody" && !isPart && (isObject || node.allOf !== undefined)) node.unevaluatedProperties = false;
  };
  for (const operations of Object.values(copy.paths)) {
    for (const operation of Object.values(operations as Json)) close((operation as Json).responses, "responses", false);
  }
  const asked = new Set(
    Array.from(JSON.stringify(document.paths).matchAll(/"requestBody":.*?"\$ref":"([^"]+)"/g), ([, ref]) => ref),
  );
  for (const [name, schema] of Object.entries(copy.components.schemas)) {
    const ref = `#/components/schemas/${name}`;
    if (name !== "Problem" && !asked.has(ref) && name !== "Outcome") close(schema, name, parts.has(ref));
  }
  return copy;
}
