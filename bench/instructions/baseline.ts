import { readFile, writeFile } from "node:fs/promises";
import type { Count } from "./count.ts";
import { isFramework, missCells, REFERENCE } from "./subjects.ts";

/** What was counted where; a cell is a server and a workload, such as `fast json`. */
export interface Counted {
  /** Program that counted, and its version. */
  readonly instrument: string;
  /** `process.version` of the servers. */
  readonly node: string;
  /** `process.arch`. */
  readonly arch: string;
  readonly cells: Readonly<Record<string, Count>>;
}

/** What later runs are compared with. */
export interface Baseline extends Counted {
  /** Day on which it was stored. */
  readonly date: string;
}

/** One comparison with the baseline. */
export interface Verdict {
  readonly cell: string;
  readonly of: "instructions" | "ratio to raw json" | "cache misses";
  readonly was: number;
  readonly is: number;
  readonly holds: boolean;
}

/** A cell may cost this many times its baseline: misses more, since code that V8 makes elsewhere in a page changes them. */
export const limits: Readonly<Record<Verdict["of"], number>> = {
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

/** Why instructions cannot be compared with the baseline's, `null` when they can; ratios always can. */
export const whyNotAbsolute = (now: Counted, baseline: Counted): string | null => {
  if (now.arch !== baseline.arch) return `the baseline is of ${baseline.arch}, this is ${now.arch}`;
  if (majorOf(now) === majorOf(baseline)) return null;
  return `the baseline is of Node ${majorOf(baseline)}, this is Node ${majorOf(now)}`;
};

/** Whether raw is counted, too: with the baseline's own Node and instrument it would be the same number again. */
export const needsReference = (now: Omit<Counted, "cells">, baseline: Counted): boolean =>
  now.node !== baseline.node || now.arch !== baseline.arch || now.instrument !== baseline.instrument;

const majorOf = ({ node }: Counted): string => /\d+/.exec(node)?.[0] ?? "";

/** Compares each of the framework's cells that both have: its instructions, and the misses of `missCells`, where they can be compared, and its ratio to raw of the same run, where that is needed. */
export const judge = (now: Counted, baseline: Counted): Verdict[] => {
  const verdicts: Verdict[] = [];
  const absolute = whyNotAbsolute(now, baseline) === null;
  const add = (cell: string, of: Verdict["of"], was: number, is: number): void => {
    verdicts.push({ cell, of, was, is, holds: is <= was * limits[of] });
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
  if (verdicts.length === 0) throw new Error("The baseline has none of the cells that were counted");
  return verdicts;
};

const rawOf = ({ cells }: Counted): number => {
  const raw = cells[REFERENCE];
  if (raw === undefined) throw new Error(`${REFERENCE} was not counted, and every ratio is made to it`);
  return raw.instructions;
};
