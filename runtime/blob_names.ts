/**
 * Names of objects: paths that can't leave the store they are looked up in, and that need no escaping anywhere.
 * Invariant: segments of letters, digits, dot, dash and underscore, none of them only dots.
 */

const NAME = /^(?!\.+(?:\/|$))[\w.-]+(?:\/(?!\.+(?:\/|$))[\w.-]+)*$/;

export function isBlobName(name: string): boolean {
  return NAME.test(name);
}

/** The name itself; throws a sentence where it is none. */
export function checkedName(name: string): string {
  if (isBlobName(name)) return name;
  throw new Error(`Naming an object ${JSON.stringify(name)}: wanted segments of letters, digits, ".", "-" and "_".`);
}
