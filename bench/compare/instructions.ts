import { findInstrument } from "../instructions/callgrind.ts";
import { countSubject, type Effort, defaultEffort } from "../instructions/count.ts";
import { contenders } from "./contenders.ts";
import type { Options } from "./options.ts";
import type { InstructionRow } from "./report.ts";
import { workloads } from "../workloads/workloads.ts";

/** Effort of a quick run: few windows, which may not include a garbage collection. */
const quickEffort: Effort = { ...defaultEffort, passes: 1, windows: 3, requests: 400 };

/** Returns whether valgrind is installed. */
export const canCountInstructions = (): boolean => findInstrument().name !== null;

/** Counts the instructions of one GET json: for the framework on its fast transport, and in a full run also for the baselines and the other transport. */
export const measureInstructions = async ({ quick, servers }: Options): Promise<InstructionRow[]> => {
  const json = workloads.filter(({ name }) => name === "json");
  const names = quick ? ["fast"] : ["raw", "tuned", "fast", "node"];
  const rows: InstructionRow[] = [];
  for (const subject of contenders.filter(({ name }) => names.includes(name) && servers.has(name))) {
    const effort = quick ? quickEffort : defaultEffort;
    const count = (await countSubject(subject, json, effort)).get("json");
    if (count === undefined) continue;
    const { instructions, low, high } = count;
    rows.push({ server: subject.name, perRequest: { median: instructions, low, high, n: effort.windows } });
  }
  return rows;
};
