/** Where the compiled core lies. In the bundle (bundle.ts) this file is replaced: there it is the bundle's own folder. */
export const BUILD_FOLDER: URL = new URL("./build/", import.meta.url);
