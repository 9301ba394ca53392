/**
 * Judges families of generated URLs by what their fetched pages brought: a calendar whose pages are all alike and lead
 * nowhere but to its other pages, values (session ids) that always give the same content.
 * Invariant: pure; a family is refused on evidence of its own pages or for dates far ahead, never for being large alone
 * below `calendarDates`. Memory is bounded: `familiesPerHost` families a host, the smallest makes way.
 */

import type { FamilyRow } from "../../ports.ts";
import type { UrlFamily } from "./family.ts";
import type { FrontierLimits } from "../settings.ts";

export type TrapReason = "calendar" | "session";

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
export type FamilyState = Mutable<FamilyRow>;

/** A page's length may differ by this share from that of the page before and still be like it. */
const ALIKE_SHARE = 0.05;
const YEAR_MS = 31_556_952_000;

/** Why another URL of the family is refused at `now` (wall ms); undefined = it may pass. */
export function trapReason(
  state: Readonly<FamilyRow> | undefined,
  family: UrlFamily,
  at: { readonly limits: FrontierLimits; readonly now: number },
): TrapReason | undefined {
  if (state === undefined) return undefined;
  const { limits } = at;
  if (family.kind === "values") return isSession(state, limits) ? "session" : undefined;
  if (isFarAhead(family, at) && state.ahead >= limits.calendarFutureDates) return "calendar";
  const barrenMost = family.kind === "days" ? limits.calendarBarrenDays : limits.calendarBarrenMonths;
  return state.barren >= barrenMost || state.accepted >= limits.calendarDates ? "calendar" : undefined;
}

function isSession({ pages, duplicates }: Readonly<FamilyRow>, limits: FrontierLimits): boolean {
  return pages >= limits.sessionPages && duplicates * 100 >= pages * limits.sessionDuplicatePercent;
}

function isFarAhead({ year }: UrlFamily, at: { readonly limits: FrontierLimits; readonly now: number }): boolean {
  return year > 1970 + Math.floor(at.now / YEAR_MS) + at.limits.calendarFutureYears;
}

/** What is known of the family, undefined = nothing yet. */
export function findFamily(families: readonly FamilyState[], family: UrlFamily): FamilyState | undefined {
  return families.find(({ shape }) => shape === family.shape);
}

/** A URL of the family was accepted. */
export function noteAccepted(
  families: FamilyState[],
  family: UrlFamily,
  at: { readonly limits: FrontierLimits; readonly now: number },
): void {
  let state = findFamily(families, family);
  if (state === undefined) {
    state = { shape: family.shape, accepted: 0, ahead: 0, pages: 0, duplicates: 0, barren: 0, lastLength: -1 };
    if (families.length >= at.limits.familiesPerHost) families.splice(smallestOf(families), 1);
    families.push(state);
  }
  state.accepted++;
  if (family.kind !== "values" && isFarAhead(family, at)) state.ahead++;
}

function smallestOf(families: readonly FamilyState[]): number {
  let smallest = 0;
  families.forEach(({ accepted }, i) => {
    if (accepted < families[smallest]!.accepted) smallest = i;
  });
  return smallest;
}

/** What a page turned out to be. */
export interface PageEvidence {
  /** Its content is that of another URL of the host. */
  readonly isDuplicate: boolean;
  /** Bytes of its body. */
  readonly length: number;
  /** URLs new to the crawl, outside the page's family, that it linked to. */
  readonly brought: number;
}

/** A page of the family was fetched: a run of pages that are alike and bring nothing is what a calendar looks like. */
export function notePage(state: FamilyState, page: PageEvidence): void {
  state.pages++;
  if (page.isDuplicate) state.duplicates++;
  const most = Math.max(page.length, state.lastLength);
  const isAlike = state.lastLength >= 0 && Math.abs(page.length - state.lastLength) <= most * ALIKE_SHARE;
  state.barren = page.brought === 0 && isAlike ? state.barren + 1 : 0;
  state.lastLength = page.length;
}
