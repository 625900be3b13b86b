import { gate } from "../measure/report.ts";
import { type Estimate, formatEstimate } from "../measure/statistics.ts";

/** Identifies a ratio of the framework to a peer. */
export interface RatioKey {
  readonly part: string;
  readonly row: string;
  readonly peer: string;
}

/**
 * Returns the minimum median of a ratio: 1, or 0.8 where equal speed is expected. Starting a job takes the same round trips and notification in all systems on
 * PostgreSQL, and a local queue of 500 jobs is claimed and completed like 500 jobs of the framework.
 */
const minRatioFor = ({ row, peer }: RatioKey): number =>
  row.startsWith("start") || (row.startsWith("work, 500") && peer === "graphile-worker") ? 0.8 : 1;

/** Rows without a gate, by peer. */
const ungated: Readonly<Record<string, readonly string[]>> = {
  "graphile-worker": ["work, 1 concurrent", "start, p99"], // its local queue prefetches a second job
  "pg-boss": ["work, 1 concurrent", "start, p99"], // its batches have at least two jobs, because it pauses after a batch of one
  BullMQ: ["add, one caller", "add, ten callers", "work, 1 concurrent", "start, p50", "start, p99"], // it runs one in-memory command instead of a transaction
};

const isGated = ({ row, peer }: RatioKey): boolean => ungated[peer]?.includes(row) !== true;

/** Prints a ratio, and checks its gate if it has one. */
export const checkRatio = (key: RatioKey, ratio: Estimate): void => {
  const { row, peer } = key;
  const text = `${row}: ${formatEstimate(ratio, 2)} times ${peer}`;
  if (isGated(key)) gate(ratio.median >= minRatioFor(key), `${text}, at least ${minRatioFor(key)}`);
  else console.log(`       ${text}`);
};
