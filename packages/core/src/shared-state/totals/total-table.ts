import { FrameworkError } from "../../errors/framework-error.ts";
import type { Total } from "./totals.ts";
import { badOption, checkKey } from "../values/state-bounds.ts";

/** Maximum number of names in one call. */
export const MAX_NAMES = 1000;
/** Maximum number of names in one page. */
export const TOTALS_PAGE_SIZE = 250;
/** Maximum length of a name. */
const MAX_NAME = 4096;
/** Maximum number of totals of the same name. */
const MAX_NUMBERS = 256;

/** Checks an addition to totals. @throws CORE_SHARED_STATE_BAD_KEY, CORE_SHARED_STATE_BAD_OPTION */
export const checkTotals = (key: string, amounts: readonly Total[]): void => {
  checkKey(key);
  if (amounts.length > MAX_NAMES) throw badOption(`one call may add to at most ${MAX_NAMES} names`);
  for (const [name, numbers] of amounts) {
    if (name.length > MAX_NAME) throw badOption(`a name may have at most ${MAX_NAME} characters`);
    if (numbers.length > MAX_NUMBERS) throw badOption(`a name may have at most ${MAX_NUMBERS} totals`);
    if (!numbers.every(Number.isFinite)) throw badOption("amounts must be finite numbers");
  }
};

/** Checks the position of a page. @throws CORE_SHARED_STATE_BAD_OPTION */
export const checkPosition = (from: number): void => {
  if (!Number.isSafeInteger(from) || from < 0) throw badOption("from must be a whole number of at least 0");
};

/** The totals of one key. */
interface KeyTotals {
  readonly byName: Map<string, number[]>;
  /** Names and numbers in order of first use, for pages. */
  readonly rows: (readonly [name: string, numbers: number[]])[];
}

/** Running totals of many names under a few keys. Beyond the bound, new names are rejected: an evicted total would restart at 0. */
export class TotalTable {
  private readonly keys = new Map<string, KeyTotals>();
  private readonly maxSize: number;
  private size = 0;

  /** @param maxSize characters of all names, plus 8 per total */
  constructor(maxSize: number) {
    this.maxSize = maxSize;
  }

  add(key: string, amounts: readonly Total[]): void {
    const names = this.keys.get(key) ?? { byName: new Map<string, number[]>(), rows: [] };
    const { byName, rows } = names;
    // Reversed: of several entries of a name, the first fixes its number of totals.
    const newNames = new Map(amounts.filter(([name]) => !byName.has(name)).toReversed());
    let size = this.size;
    for (const [name, numbers] of newNames) size += name.length + 8 * numbers.length;
    if (size > this.maxSize) {
      throw new FrameworkError(
        "CORE_SHARED_STATE_FULL",
        `the totals of the shared state are full; do clients choose the names under "${key}"?`,
      );
    }
    this.size = size;
    this.keys.set(key, names);
    for (const [name, numbers] of amounts) {
      const totals = byName.get(name);
      if (totals === undefined) {
        const first = [...numbers];
        byName.set(name, first);
        rows.push([name, first]);
      } else {
        for (let index = 0; index < totals.length; index++)
          totals[index] = (totals[index] ?? 0) + (numbers[index] ?? 0);
      }
    }
  }

  /** Returns a copy of a page of a key's totals. */
  read(key: string, from: number): readonly Total[] {
    const { rows } = this.keys.get(key) ?? { rows: [] };
    return rows.slice(from, from + TOTALS_PAGE_SIZE).map(([name, totals]) => [name, [...totals]]);
  }
}
