import { readFile, writeFile } from "node:fs/promises";
import type { Count } from "./count.ts";
import { isFramework, missCells, REFERENCE } from "./subjects.ts";

/** Counts, and where they were made; a cell is a server and a workload, such as `fast json`. */
export interface Counted {
  /** Name and version of the counting program. */
  readonly instrument: string;
  /** `process.version` of the servers. */
  readonly node: string;
  /** `process.arch`. */
  readonly arch: string;
  readonly cells: Readonly<Record<string, Count>>;
}

/** Stored counts, with which later runs are compared. */
export interface Baseline extends Counted {
  /** Date on which it was stored. */
  readonly date: string;
}

/** Comparison of one metric of a cell with the baseline. */
export interface Comparison {
  readonly cell: string;
  readonly metric: "instructions" | "ratio to raw json" | "cache misses";
  readonly was: number;
  readonly is: number;
  readonly holds: boolean;
}

/** Maximum ratio of a cell to its baseline. Higher for misses, because they depend on where in a page V8 places code. */
export const limits: Readonly<Record<Comparison["metric"], number>> = {
  instructions: 1.05,
  "ratio to raw json": 1.05,
  "cache misses": 1.1,
};

/** The stored baseline. */
export const baselineFile: string = `${import.meta.dirname}/baseline.json`;

export const readBaseline = async (file: string = baselineFile): Promise<Baseline> =>
  JSON.parse(await readFile(file, "utf8")) as Baseline;

export const writeBaseline = async (baseline: Baseline, file: string = baselineFile): Promise<void> => {
  await writeFile(file, `${JSON.stringify(baseline, null, 2)}\n`);
};

/** Returns why instructions cannot be compared with the baseline's, or `null` if they can. Ratios always can. */
export const reasonForRatiosOnly = (now: Counted, baseline: Counted): string | null => {
  if (now.arch !== baseline.arch) return `the baseline was counted on ${baseline.arch}, this is ${now.arch}`;
  if (majorOf(now) === majorOf(baseline)) return null;
  return `the baseline was counted on Node ${majorOf(baseline)}, this is Node ${majorOf(now)}`;
};

/** Returns whether raw must be counted too: with the same Node and instrument as the baseline its count would be the same. */
export const needsReference = (now: Omit<Counted, "cells">, baseline: Counted): boolean =>
  now.node !== baseline.node || now.arch !== baseline.arch || now.instrument !== baseline.instrument;

const majorOf = ({ node }: Counted): string => /\d+/.exec(node)?.[0] ?? "";

/** Compares the framework's cells with the baseline: instructions and, for `missCells`, misses where they are comparable; the ratio to raw of the same run where needed. */
export const compareWithBaseline = (now: Counted, baseline: Counted): Comparison[] => {
  const comparisons: Comparison[] = [];
  const absolute = reasonForRatiosOnly(now, baseline) === null;
  const add = (cell: string, metric: Comparison["metric"], was: number, is: number): void => {
    comparisons.push({ cell, metric, was, is, holds: is <= was * limits[metric] });
  };
  for (const [cell, { instructions, misses }] of Object.entries(now.cells)) {
    const before = baseline.cells[cell];
    if (before === undefined || !isFramework(cell)) continue;
    if (absolute) {
      add(cell, "instructions", before.instructions, instructions);
      if (missCells.includes(cell)) add(cell, "cache misses", before.misses, misses);
    }
    if (needsReference(now, baseline) || REFERENCE in now.cells)
      add(cell, "ratio to raw json", before.instructions / rawOf(baseline), instructions / rawOf(now));
  }
  if (comparisons.length === 0) throw new Error("The baseline has none of the cells that were counted");
  return comparisons;
};

const rawOf = ({ cells }: Counted): number => {
  const raw = cells[REFERENCE];
  if (raw === undefined) throw new Error(`${REFERENCE} was not counted, but every ratio refers to it`);
  return raw.instructions;
};
