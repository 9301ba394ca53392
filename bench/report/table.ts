/**
 * Rows as a table for people or as JSON lines for programs.
 * Invariant: the same values in both; columns in the order in which rows name them.
 */

export type Row = Readonly<Record<string, string | number>>;

/** The middle value; the mean of the middle two of an even number; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Three significant digits, whole numbers with thousands separated. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-GB");
  return String(Number(value.toPrecision(3)));
}

const textOf = (value: string | number | undefined) =>
  value === undefined ? "" : typeof value === "number" ? figure(value) : value;

/** Columns padded to equal width, numbers to the right. */
export function table(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => textOf(row[name]).length)));
  const line = (cells: readonly string[], right: (i: number) => boolean) =>
    cells.map((cell, i) => (right(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join("  ").trimEnd();
  const numeric = names.map((name) => rows.every((row) => typeof row[name] !== "string"));
  return [
    line(names, (i) => numeric[i]!),
    ...rows.map((row) => line(names.map((name) => textOf(row[name])), (i) => numeric[i]!)),
  ].join("\n");
}

/** One JSON object a line, each with `type`. */
export function jsonLines(type: string, rows: readonly Row[]): string {
  return rows.map((row) => JSON.stringify({ type, ...row })).join("\n");
}
