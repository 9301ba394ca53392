/**
 * The core's TypeScript as one plain ES module, build/mod.js, for runtimes that take no TypeScript: Node and browsers.
 * Invariant: it holds all it needs but node:fs, which it asks for only where it was loaded from a file.
 * Only build.ts loads this file: esbuild is absent where the core is only used.
 */

import { join } from "node:path";

/** What build_folder.ts is in the bundle. */
const OWN_FOLDER = 'export const BUILD_FOLDER = new URL("./", import.meta.url);';

/** The text of build/mod.js; `home` is the folder of mod.ts. */
export async function bundleCore(home: string): Promise<string> {
  const esbuild = await import("esbuild");
  try {
    const { outputFiles } = await esbuild.build({
      // Paths in its comments are those of the project, wherever the build is started.
      absWorkingDir: join(home, ".."),
      entryPoints: [join(home, "mod.ts")],
      bundle: true,
      write: false,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      target: "es2022",
      external: ["node:*"],
      plugins: [{
        name: "own folder",
        setup(build) {
          build.onLoad({ filter: /[\\/]build_folder\.ts$/ }, () => ({ contents: OWN_FOLDER, loader: "ts" }));
        },
      }],
    });
    return outputFiles[0]!.text;
  } finally {
    await esbuild.stop();
  }
}
