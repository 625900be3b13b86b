import { type Workload, workloads } from "../workloads/workloads.ts";
import { type Effort, gateEffort, type Subject, defaultEffort } from "./count.ts";

/** One process of a server, and the workloads to count in it. */
export interface Job {
  readonly subject: Subject;
  readonly workloads: readonly Workload[];
  readonly effort: Effort;
}

/** The cell to which every ratio refers. */
export const REFERENCE = "raw json";

const subjects = [
  { name: "raw", file: "raw.ts", args: [] },
  { name: "tuned", file: "raw.ts", args: ["--tuned"] },
  { name: "fast", file: "framework.ts", args: ["--transport=fast"] },
  { name: "node", file: "framework.ts", args: ["--transport=node"] },
] as const satisfies readonly Subject[];

/** Returns whether a cell is one of the framework's; only these can fail a check. */
export const isFramework = (cell: string): boolean => /^(?:fast|node)\b/.test(cell);

/** Cells whose cache misses a check compares; the others run the same code. */
export const missCells: readonly string[] = ["fast param", "fast varied"];

const plant = `${import.meta.dirname}/../servers/planted-cost.ts`;

const workloadsNamed = (...names: readonly string[]): Workload[] =>
  workloads.filter(({ name }) => names.includes(name));

const json = workloadsNamed("json");
const plain = workloadsNamed("json", "param", "echo", "headers");
const five = workloadsNamed("mw5");

/** Counts the reference in a separate process, so that its result does not depend on other workloads. */
const plainJobs = (subject: Subject): Job[] => {
  const parts =
    subject.name === "raw" ? [json, plain.filter((workload) => !json.includes(workload))] : [plain];
  return parts.map((part) => ({ subject, workloads: part, effort: defaultEffort }));
};

/** With more warm-up, because the middlewares are more code, which takes longer to be optimized. */
const fiveJob = (subject: Subject): Job => ({
  subject: { ...subject, args: [...subject.args, "--five"] },
  workloads: five,
  effort: { ...defaultEffort, passes: 12 },
});

/** Every server with every workload. */
export const allJobs: readonly Job[] = subjects.flatMap((subject) => [
  ...plainJobs(subject),
  fiveJob(subject),
]);

/** Flags for early optimization and rare garbage collection, so that windows are stable after few requests. */
export const earlyOptimization: readonly string[] = [
  "--invocation-count-for-maglev=100",
  "--invocation-count-for-turbofan=400",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

const gateJob = (
  subject: Subject,
  countedWorkloads: readonly Workload[],
  nodeArgs: readonly string[] = [],
): Job => ({
  subject: { ...subject, nodeArgs: [...earlyOptimization, ...nodeArgs] },
  workloads: countedWorkloads,
  effort: gateEffort,
});

const gateWorkloads = workloadsNamed("json", "param", "varied", "echo");
const [raw, , fast, node] = subjects;

/** With more warm-up: `node:http` takes 70,000 to 85,000 instructions instead of 44,000 until all of it is compiled. */
const nodeJob: Job = {
  ...gateJob(node, json),
  effort: { ...gateEffort, passes: 8, warmUp: 2000, windows: 10 },
};

/** Jobs of a check: the framework on both transports, and the reference. */
export const gateJobs: readonly Job[] = [nodeJob, gateJob(fast, gateWorkloads), gateJob(raw, json)];

/** Jobs of the baseline: the same with two processes of the fast transport, as in a check that counts again. */
export const baselineJobs: readonly Job[] = [...gateJobs, gateJob(fast, gateWorkloads)];

/** The same with a planted cost, which must fail the gate. */
export const plantedJobs: readonly Job[] = [
  gateJob(fast, gateWorkloads, ["--import", plant]),
  gateJob(raw, json),
];
