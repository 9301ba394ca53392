/**
 * What lies where in a data folder.
 */

/** Paths below a data folder; README's "What a crawl leaves behind" names the same. */
export function dataPaths(folder: string) {
  return {
    control: `${folder}/control.db`,
    shard: (index: number) => `${folder}/frontier-${index}.db`,
    lock: `${folder}/lock`,
    warc: `${folder}/warc`,
    pages: `${folder}/pages.jsonl`,
    index: `${folder}/index.cdxj`,
  };
}
