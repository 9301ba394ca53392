/** Writes numbers as AssemblyScript data. Invariant: lines of at most 120 characters or one number. */

const LINE = 118;

/** `export const NAME: usize = memory.data<u32>([...])`. */
export function dataSource(name: string, comment: string, values: readonly number[]): string {
  const lines: string[] = [];
  let line = "";
  for (const value of values) {
    const text = `${value},`;
    if (line.length + text.length > LINE) {
      lines.push(line);
      line = "";
    }
    line += text;
  }
  lines.push(line);
  return `/** ${comment} */\nexport const ${name}: usize = memory.data<u32>([\n${lines.join("\n")}\n], 8);\n`;
}
