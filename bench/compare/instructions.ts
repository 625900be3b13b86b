import { instrument } from "../instructions/callgrind.ts";
import { countSubject, type Effort, usualEffort } from "../instructions/count.ts";
import { contenders } from "./contenders.ts";
import type { Options } from "./options.ts";
import type { InstructionRow } from "./report.ts";
import { workloads } from "./workloads.ts";

/** Enough for a look: one server, and windows that may miss a collection. */
const quickEffort: Effort = { ...usualEffort, passes: 1, windows: 3, requests: 400 };

/** Whether this machine has what counts. */
export const canCountInstructions = (): boolean => instrument().name !== null;

/** Instructions for one GET json: of the framework on its fast transport, in a whole run of the baselines and the other transport too. */
export const measureInstructions = async ({ quick, servers }: Options): Promise<InstructionRow[]> => {
  const json = workloads.filter(({ name }) => name === "json");
  const names = quick ? ["fast"] : ["raw", "tuned", "fast", "node"];
  const rows: InstructionRow[] = [];
  for (const subject of contenders.filter(({ name }) => names.includes(name) && servers.has(name))) {
    const effort = quick ? quickEffort : usualEffort;
    const count = (await countSubject(subject, json, effort)).get("json");
    if (count === undefined) continue;
    const { instructions, low, high } = count;
    rows.push({ server: subject.name, perRequest: { median: instructions, low, high, n: effort.windows } });
  }
  return rows;
};
