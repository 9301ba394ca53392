/**
 * Flags of the HTTP API: who may use it from a browser, and how often a token may ask.
 */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { Rates } from "../coordinator/api/rate_limit.ts";
import { many } from "./flags.ts";

export interface ApiFlags {
  readonly corsOrigin: readonly string[];
  readonly rate: Partial<Rates>;
}

const KINDS = ["operator", "reader", "edge", "stranger"] as const satisfies readonly (keyof Rates)[];

export function addApiFlags(command: Command): Command {
  return command
    .option("--cors-origin <origin>", "pages of this origin may use the API in a browser (repeatable)", origins, [])
    .addOption(
      new Option(
        "--rate <kind=n>",
        `requests a second that a token of a role may send, 0 = any number: ${
          KINDS.join(", ")
        } (without a token, for ` +
          "each address) (repeatable)",
      ).argParser(rates).default({}, "2000, 2000, 10000, 100"),
    );
}

function origins(text: string, before: readonly string[]): readonly string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return many(text, before);
  throw new InvalidArgumentError("An origin is wanted, as a browser spells it: https://dashboard.example.org");
}

function rates(text: string, before: Partial<Rates>): Partial<Rates> {
  const [kind, count] = text.split("=");
  const known = KINDS.find((name) => name === kind);
  if (known !== undefined && /^\d{1,7}$/.test(count ?? "")) return { ...before, [known]: Number(count) };
  throw new InvalidArgumentError(`One of ${KINDS.map((name) => `${name}=N`).join(", ")} is wanted, N a whole number.`);
}
