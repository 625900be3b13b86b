import { FrameworkError } from "@framework/core";
import { unknownFields } from "@framework/core/feature";
import { type ParkedState, parkedStates } from "./parked-item.ts";

/** Selects parked work. */
export interface ParkedFilter {
  /** Source that parked the work, such as `work` for queues. */
  readonly source?: string | undefined;
  /** Name of the queue, projection or subscription. */
  readonly name?: string | undefined;
  /** Key of the work. */
  readonly key?: string | undefined;
  /** State of the items. @default "parked" */
  readonly state?: ParkedState | undefined;
  /** `next` of the previous page. @default the first page */
  readonly after?: string | undefined;
  /** Maximum number of items of a page, 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
}

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
  const [problem] = unknownFields("the filter", filter, fields);
  if (problem !== undefined) throw badFilter(problem);
  const { source, name, key, state = "parked", after, limit = DEFAULT_LIMIT } = filter;
  const from = after === undefined ? 0 : idOf(after);
  if (from === null) throw badFilter("after must be `next` of a page");
  if (!parkedStates.includes(state)) throw badFilter(`state must be one of ${parkedStates.join(", ")}`);
  if (!isWithin(limit, MAX_LIMIT)) throw badFilter(`limit must be a whole number from 1 to ${MAX_LIMIT}`);
  return { source: source ?? null, name: name ?? null, key: key ?? null, state, after: from, limit };
};

const replayFields: readonly string[] = ["source", "name", "key", "state", "after"];

/** Rejects unknown fields, because a misspelt one would select more work than intended. @throws DURABLE_BAD_FILTER */
export const checkReplayFilter = (filter: Omit<ParkedFilter, "limit">): void => {
  if ("limit" in filter) throw badFilter("the limit of a replay belongs in its options, the second argument");
  const [problem] = unknownFields("the filter of a replay", filter, replayFields);
  if (problem !== undefined) throw badFilter(problem);
};

/** Parses an id; `null` for a string that is not one, which a client may send. */
export const idOf = (id: string): number | null => {
  const number = Number(id);
  return /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(number) ? number : null;
};

/** Whether a number is an integer from 1 to `max`. */
export const isWithin = (number: number, max: number): boolean =>
  Number.isInteger(number) && number >= 1 && number <= max;

/** Returns the error for an invalid filter or option. */
export const badFilter = (problem: string): FrameworkError =>
  new FrameworkError("DURABLE_BAD_FILTER", `durable: ${problem}`);
