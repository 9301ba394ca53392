/**
 * What a schema found wrong, in words: where, what was found, what is wanted.
 * Invariant: pure; a kind of issue that isn't known here keeps the schema's own message.
 */

/** An issue of zod, as far as it is told. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string;
  readonly expected?: string;
  /** What a bound is of: array, string, number, int. */
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
}

/** "seeds is missing, an array is wanted". */
export function issueText(issue: Issue): string {
  const place = issue.path.map(String).join(".");
  switch (issue.code) {
    case "invalid_type":
      return `${place || "it"} ${found(issue.message)}, ${kind(issue.expected ?? "other")} is wanted`;
    case "invalid_value":
      return `${place} must be ${issue.values?.length === 1 ? "" : "one of "}${issue.values?.join(", ")}`;
    case "unrecognized_keys":
      return `no field ${issue.keys?.map((key) => JSON.stringify(key)).join(", ")} is known${place && ` in ${place}`}`;
    case "too_small":
      return `${place} must ${amount(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `${place} must ${amount(issue.origin, "at most", issue.maximum)}`;
    default:
      return place === "" ? issue.message : `${place}: ${issue.message}`;
  }
}

/** Zod tells what it found in its message only. */
function found(message: string): string {
  const received = /received (\S+)$/.exec(message)?.[1] ?? "something else";
  if (received === "undefined") return "is missing";
  return received === "NaN" ? "is no number" : `is ${kind(received)}`;
}

function kind(name: string): string {
  if (name === "null") return name;
  return name === "int" ? "a whole number" : `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`;
}

function amount(origin: string | undefined, how: string, bound: number | bigint | undefined): string {
  if (origin === "array") return `have ${how} ${bound} ${bound === 1 ? "item" : "items"}`;
  if (origin === "string") return `have ${how} ${bound} ${bound === 1 ? "character" : "characters"}`;
  return `be ${how} ${bound}`;
}
