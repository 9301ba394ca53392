/** The version that user agents, warcinfo records and `--version` name; the same as package.json's. */
export const VERSION = "0.1.0";
