import { FrameworkError } from "@framework/core";
import { describeInvalid, isOptions, unknownFields } from "@framework/core/feature";
import { type ParkedState, parkedStates } from "./parked-item.ts";
import type { DiscardOptions, ParkedFilter, ReplayOptions } from "./parked-work.ts";

/** A filter with its defaults. */
export interface CheckedFilter {
  readonly source: string | null;
  readonly name: string | null;
  readonly key: string | null;
  readonly state: ParkedState;
  readonly after: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

const fields: readonly string[] = ["source", "name", "key", "state", "after", "limit"];

/** @throws DURABLE_BAD_FILTER */
export const checkedFilter = (filter: ParkedFilter): CheckedFilter => {
  checkFields("the filter", filter, fields);
  const { source, name, key, state = "parked", after, limit = DEFAULT_LIMIT } = filter;
  const from = after === undefined ? 0 : idOf(after);
  if (from === null) throw badFilter("after must be the `next` cursor of a previous page");
  if (!parkedStates.includes(state)) throw badFilter(`state must be one of ${parkedStates.join(", ")}`);
  if (!isWithin(limit, MAX_LIMIT)) throw badFilter(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  return { source: source ?? null, name: name ?? null, key: key ?? null, state, after: from, limit };
};

const replayFields: readonly string[] = ["source", "name", "key", "state", "after"];

/** Rejects unknown fields, because a misspelt one would select more work than intended. @throws DURABLE_BAD_FILTER */
const checkReplayFilter = (filter: Omit<ParkedFilter, "limit">): void => {
  if (isOptions(filter) && "limit" in filter)
    throw badFilter("the limit of a replay belongs in its options, the second argument");
  checkFields("the filter of a replay", filter, replayFields);
};

const MAX_ITEMS = 10_000;
const MAX_PER_SECOND = 10_000;
const MAX_NOTE = 2000;

/** Options of a replay, with their defaults. */
export interface CheckedReplay {
  readonly limit: number;
  readonly perSecond: number;
  readonly signal: AbortSignal | undefined;
}

/** @throws DURABLE_BAD_FILTER */
export const checkedReplay = (
  which: readonly string[] | Omit<ParkedFilter, "limit">,
  options: ReplayOptions,
): CheckedReplay => {
  if (!isIds(which)) checkReplayFilter(which);
  checkFields("the options object of a replay", options, ["limit", "perSecond", "signal"]);
  const {
    limit = isIds(which) ? Math.max(which.length, 1) : DEFAULT_LIMIT,
    perSecond = 100,
    signal,
  } = options;
  if (!isWithin(limit, MAX_ITEMS)) throw badFilter(`limit must be a whole number from 1 to ${MAX_ITEMS}`);
  if (!isWithin(perSecond, MAX_PER_SECOND))
    throw badFilter(`perSecond must be a whole number from 1 to ${MAX_PER_SECOND}`);
  return { limit, perSecond, signal };
};

/** Checks the arguments of `discard`, and returns the note as databases can store it. @throws DURABLE_BAD_FILTER */
export const checkedNote = (ids: readonly string[], options: DiscardOptions): string => {
  if (!isIds(ids)) throw badFilter(`discard needs a list of ids, not ${describeInvalid(ids)}`);
  if (ids.length > MAX_ITEMS) throw badFilter(`one call may discard at most ${MAX_ITEMS} items`);
  checkFields("the options object of discard", options, ["note"]);
  const { note } = options;
  if (typeof note !== "string" || note.trim() === "" || note.length > MAX_NOTE)
    throw badFilter(`note must have 1 to ${MAX_NOTE} characters and give the reason`);
  return note.toWellFormed().replaceAll("\0", "");
};

/** Whether an argument is a list of ids, not a filter. */
export const isIds = (which: readonly string[] | ParkedFilter): which is readonly string[] =>
  Array.isArray(which);

/** Rejects an argument that is not an object, collections, and unknown fields. @throws DURABLE_BAD_FILTER */
const checkFields = (subject: string, given: object, known: readonly string[]): void => {
  const isRecord: boolean = isOptions(given);
  if (!isRecord) throw badFilter(`${subject} must be an object, not ${describeInvalid(given)}`);
  if (Symbol.iterator in given) throw badFilter(`${subject} is a collection; pass ids as an array`); // it would select everything
  const [problem] = unknownFields(subject, given, known);
  if (problem !== undefined) throw badFilter(problem);
};

/** Parses an id; `null` for a string that is not one, which a client may send. */
export const idOf = (id: string): number | null => {
  const number = Number(id);
  return /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(number) ? number : null;
};

/** Whether a number is an integer from 1 to `max`. */
const isWithin = (number: number, max: number): boolean =>
  Number.isInteger(number) && number >= 1 && number <= max;

/** Returns the error for an invalid filter or option. */
export const badFilter = (problem: string): FrameworkError =>
  new FrameworkError("DURABLE_BAD_FILTER", `durable: ${problem}`);
