/**
 * The API's own documentation as one page of HTML, made from its OpenAPI document.
 * Invariant: it needs nothing from elsewhere - no script, no style sheet, no font; every text is escaped.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
}

interface Body {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
}

/** As much of an OpenAPI 3.1 document as is shown. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (char) => ENTITIES[char]!);

export function docsPage(document: ApiDocument): string {
  const { title, version } = document.info;
  const routes = Object.entries(document.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => routeHtml(method, path, operation))
  );
  const schemas = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) =>
    `<h3 id="${escaped(name)}">${escaped(name)}</h3>${fieldsHtml(schema)}`
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
code { font-size: .95em; } td, th { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0; }
h3 { margin: 2rem 0 .3rem; } p { margin: .3rem 0; }
</style>
<h1>${escaped(title)} ${escaped(version)}</h1>
<p>The same for machines: <a href="openapi.json">openapi.json</a>. Errors are <code>application/problem+json</code>; a
bearer token is wanted unless the coordinator runs without tokens on loopback.</p>
<h2>Routes</h2>
${routes.join("\n")}
<h2>Messages</h2>
${schemas.join("\n")}
</html>
`;
}

function routeHtml(method: string, path: string, operation: Operation): string {
  const { summary = "", parameters = [], requestBody, responses = {} } = operation;
  const asked = parameters.map(({ name, in: place, required }) =>
    `<code>${escaped(name)}</code> (${escaped(place)}${required ? "" : ", optional"})`
  );
  const answers = Object.entries(responses).filter(([status]) => status.startsWith("2")).map(([status, answer]) =>
    `<p>${escaped(status)}: ${escaped(answer.description ?? "")} ${bodyHtml(answer)}</p>`
  );
  return [
    `<h3><code>${escaped(method.toUpperCase())} ${escaped(path)}</code></h3>`,
    `<p>${escaped(summary)}</p>`,
    asked.length === 0 ? "" : `<p>Takes ${asked.join(", ")}.</p>`,
    requestBody === undefined ? "" : `<p>Body: ${bodyHtml(requestBody)}</p>`,
    ...answers,
  ].join("");
}

function bodyHtml({ content = {} }: Body): string {
  return Object.values(content).map(({ schema }) => schema === undefined ? "" : typeHtml(schema)).join(" or ");
}

function typeHtml(schema: Schema): string {
  const name = schema.$ref?.split("/").pop();
  if (name !== undefined) return `<a href="#${escaped(name)}">${escaped(name)}</a>`;
  if (schema.enum !== undefined) {
    return schema.enum.map((one) => `<code>${escaped(JSON.stringify(one))}</code>`).join(" | ");
  }
  if (schema.items !== undefined) return `list of ${typeHtml(schema.items)}`;
  if (schema.properties !== undefined) return `{ ${Object.keys(schema.properties).map(escaped).join(", ")} }`;
  return escaped([schema.type ?? "any"].flat().join(" | "));
}

function fieldsHtml(schema: Schema): string {
  const { properties, required = [] } = schema;
  if (properties === undefined) return `<p>${typeHtml(schema)}</p>`;
  const rows = Object.entries(properties).map(([name, field]) =>
    `<tr><td><code>${escaped(name)}</code><td>${typeHtml(field)}${required.includes(name) ? "" : ", optional"}<td>${
      escaped(field.description ?? "")
    }`
  );
  return `<table>${rows.join("\n")}</table>`;
}
