/** The Files port on nothing: what is written is counted and thrown away. */

import type { AppendFile, Files } from "../runtime/ports.ts";

export function discardingFiles(): Files & { bytes: number } {
  const sink = {
    bytes: 0,
    openAppend: () => {
      let size = 0;
      const file: AppendFile = {
        get size() {
          return size;
        },
        append: (bytes) => {
          size += bytes.length;
          sink.bytes += bytes.length;
          return Promise.resolve();
        },
        sync: () => Promise.resolve(),
        close: () => Promise.resolve(),
      };
      return Promise.resolve(file);
    },
    read: () => Promise.resolve(undefined),
    readRange: () => Promise.resolve(undefined),
    writeWhole: () => Promise.resolve(),
    truncate: () => Promise.resolve(),
    rename: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    list: () => Promise.resolve([]),
    size: () => Promise.resolve(undefined),
  };
  return sink;
}
