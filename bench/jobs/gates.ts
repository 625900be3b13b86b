import { gate } from "../measure/report.ts";
import { type Estimate, shown } from "../measure/statistics.ts";

/** One ratio: how far the framework is ahead of a peer. */
export interface Judged {
  readonly part: string;
  readonly row: string;
  readonly peer: string;
}

/**
 * What the median of a ratio must reach: ahead, or as fast within noise. A start of a job takes the same round trips and notification in all systems on
 * PostgreSQL; a local queue of 500 is claimed and completed as our 500 are.
 */
const leastOf = ({ row, peer }: Judged): number =>
  row.startsWith("start") || (row.startsWith("work, 500") && peer === "graphile-worker") ? 0.8 : 1;

/** Rows without a gate, by peer. */
const ungated: Readonly<Record<string, readonly string[]>> = {
  "graphile-worker": ["work, 1 at a time", "start, p99"], // where one runs at a time, its local queue holds two
  "pg-boss": ["work, 1 at a time", "start, p99"], // its smallest batch that is followed by another at once is two
  BullMQ: ["add, one caller", "add, ten callers", "work, 1 at a time", "start, p50", "start, p99"], // a command in memory beside a transaction
};

const isGated = ({ row, peer }: Judged): boolean => ungated[peer]?.includes(row) !== true;

/** Prints a ratio, and whether it holds if it must. */
export const judge = (judged: Judged, ratio: Estimate): void => {
  const { row, peer } = judged;
  const text = `${row}: ${shown(ratio, 2)} times ${peer}`;
  if (isGated(judged)) gate(ratio.median >= leastOf(judged), `${text}, at least ${leastOf(judged)}`);
  else console.log(`       ${text}`);
};
