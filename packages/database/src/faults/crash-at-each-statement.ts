import { AssertionError } from "node:assert/strict";
import { messageOf } from "@framework/core/feature";
import type { Crash } from "./crashing-process.ts";
import type { FaultingDatabase } from "./faulting-database.ts";

/** Limits of `crashAtEachStatement`. */
export interface CrashAtEachStatementOptions {
  /** Maximum number of statements of one run. @default 1000 */
  readonly maxStatements?: number;
  /**
   * `"after"` halves the number of runs, and is enough for an operation without concurrent statements: its state after a statement equals the state before
   * the next one. @default both
   */
  readonly when?: Crash["when"];
}

/**
 * Runs a test repeatedly, with a simulated crash before and after each statement in turn, until a run ends without reaching its crash. Returns the
 * number of runs that crashed.
 *
 * @param run creates a database, runs the operation on a `faultingDatabase(db, crash)`, lets the next process recover, checks the result, and returns the
 * faulting database
 * @throws an error that names the crash, with the error of `run` as its cause; AssertionError if no statement was run, or more than
 * `maxStatements`
 *
 * @example
 * await crashAtEachStatement(async (crash) => {
 *   const faulting = faultingDatabase(db, crash);
 *   await placeOrder(faulting, 7).catch(() => {});
 *   await faulting.close();
 *   await placeOrder(db, 7);
 *   assert.equal(await db.fetchValue("SELECT count(*) FROM orders WHERE id = 7"), 1);
 *   return faulting;
 * });
 */
export const crashAtEachStatement = async (
  run: (crash: Crash) => Promise<FaultingDatabase>,
  { maxStatements = 1000, when }: CrashAtEachStatementOptions = {},
): Promise<number> => {
  let crashes = 0;
  for (const each of when === undefined ? bothTimes : [when])
    crashes += await countCrashes(run, each, maxStatements);
  return crashes;
};

const bothTimes: readonly Crash["when"][] = ["before", "after"];

const countCrashes = async (
  run: (crash: Crash) => Promise<FaultingDatabase>,
  when: Crash["when"],
  maxStatements: number,
): Promise<number> => {
  let crashes = 0;
  while (await runCrashes(run, { at: crashes + 1, when }))
    if (++crashes > maxStatements)
      throw new AssertionError({
        message: `the faulting database got more than ${maxStatements} statements; raise maxStatements`,
      });
  if (crashes > 0) return crashes;
  throw new AssertionError({ message: "the faulting database got no statement, so no crash was tested" });
};

const runCrashes = async (
  run: (crash: Crash) => Promise<FaultingDatabase>,
  crash: Crash,
): Promise<boolean> => {
  try {
    return (await run(crash)).isDead;
  } catch (cause) {
    throw new Error(`with a crash ${crash.when} statement ${crash.at}: ${messageOf(cause)}`, { cause });
  }
};
