/**
 * A flame graph of a CPU profile (`bun --cpu-prof`, `deno run --cpu-prof`, the inspector): `deno run -A bench/flame_graph.ts IN.cpuprofile OUT.svg`.
 * Invariant: widths are shares of the time on the CPU, idle time left out; frames below `LEAST` of it are left out too, so
 * that the file stays small.
 */

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly name: string;
  us: number;
  readonly children: Map<string, Frame>;
}

/** Share of the whole below which a frame isn't drawn. */
const LEAST = 0.006;
const WIDTH = 1200;
const ROW = 16;
const CHAR = 6.2;
const IDLE = /^\((idle|program|root)\)$/;

function nameOf({ functionName, url, lineNumber }: ProfileNode["callFrame"]): string {
  const file = /((?:edge|cli|coordinator|core-wasm|runtime|protocol)\/[^?]*\.ts)$/.exec(url)?.[1] ??
    /node_modules\/(?:\.deno\/[^/]+\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url.split("/").at(-1) ??
    "";
  const name = functionName.replace(/^.*?wasm-function/, "wasm ").slice(0, 80) || "(anonymous)";
  return file === "" || file === name ? name : `${name} ${file}${lineNumber > 0 ? `:${lineNumber + 1}` : ""}`;
}

/** Frames from the outermost down. */
function frames(profile: Profile): Frame {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const root: Frame = { name: "all", us: 0, children: new Map() };
  profile.samples.forEach((sample, i) => {
    const us = profile.timeDeltas[i] ?? 0;
    const path: string[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const { callFrame } = nodes.get(id)!;
      if (!IDLE.test(callFrame.functionName)) path.unshift(nameOf(callFrame));
    }
    if (path.length === 0) return;
    let at = root;
    at.us += us;
    for (const name of path) {
      let next = at.children.get(name);
      if (next === undefined) at.children.set(name, next = { name, us: 0, children: new Map() });
      next.us += us;
      at = next;
    }
  });
  return root;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Ours, WebAssembly, the runtime's own. */
function colour(name: string): string {
  if (name.startsWith("wasm ")) return "#8ecae6";
  return /(edge|cli|coordinator|core-wasm|runtime|protocol)\//.test(name) ? "#ffb703" : "#d9d9d9";
}

function draw(root: Frame): string {
  const boxes: string[] = [];
  let depth = 0;
  const place = (frame: Frame, x: number, level: number) => {
    const share = frame.us / root.us;
    const width = share * WIDTH;
    depth = Math.max(depth, level);
    const label = frame.name.slice(0, Math.floor(width / CHAR));
    const y = level * ROW;
    boxes.push(
      `<g><title>${escaped(frame.name)}: ${(100 * share).toFixed(1)} %</title>` +
        `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${
          colour(frame.name)
        }"/>` +
        (label.length > 3 ? `<text x="${(x + 2).toFixed(1)}" y="${y + 11}">${escaped(label)}</text>` : "") + "</g>",
    );
    let at = x;
    for (const child of [...frame.children.values()].sort((a, b) => b.us - a.us)) {
      if (child.us / root.us >= LEAST) place(child, at, level + 1);
      at += (child.us / root.us) * WIDTH;
    }
  };
  place(root, 0, 0);
  const height = (depth + 1) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">\n` +
    `${boxes.join("\n")}\n</svg>\n`;
}

const [input, output] = process.argv.slice(2);
if (input === undefined || output === undefined) {
  process.stderr.write("Drawing a flame graph needs two paths: IN.cpuprofile OUT.svg.\n");
  process.exitCode = 2;
} else writeFileSync(output, draw(frames(JSON.parse(readFileSync(input, "utf8")))));
