import { type Workload, workloads } from "../compare/workloads.ts";
import { type Effort, gateEffort, type Subject, usualEffort } from "./count.ts";

/** What one process of a server is asked. */
export interface Job {
  readonly subject: Subject;
  readonly workloads: readonly Workload[];
  readonly effort: Effort;
}

/** What every ratio is made to. */
export const REFERENCE = "raw json";

const subjects = [
  { name: "raw", file: "raw.ts", args: [] },
  { name: "tuned", file: "raw.ts", args: ["--tuned"] },
  { name: "fast", file: "framework.ts", args: ["--transport=fast"] },
  { name: "node", file: "framework.ts", args: ["--transport=node"] },
] as const satisfies readonly Subject[];

/** Whether a cell is one of the framework's, and so one that a check may fail for. */
export const isFramework = (cell: string): boolean => /^(?:fast|node)\b/.test(cell);

/** Cells whose cache misses a check compares: those of the others follow from the same code. */
export const missCells: readonly string[] = ["fast param", "fast varied"];

const plant = `${import.meta.dirname}/../servers/planted-cost.ts`;

const named = (...names: readonly string[]): Workload[] =>
  workloads.filter(({ name }) => names.includes(name));

const json = named("json");
const plain = named("json", "param", "echo", "headers");
const five = named("mw5");

/** The reference has a process to itself, so that it is the same however little else is counted. */
const plainJobs = (subject: Subject): Job[] => {
  const parts =
    subject.name === "raw" ? [json, plain.filter((workload) => !json.includes(workload))] : [plain];
  return parts.map((part) => ({ subject, workloads: part, effort: usualEffort }));
};

/** The middlewares are more code, and it takes longer until all of it is compiled for good. */
const fiveJob = (subject: Subject): Job => ({
  subject: { ...subject, args: [...subject.args, "--five"] },
  workloads: five,
  effort: { ...usualEffort, passes: 12 },
});

/** Every server with every workload. */
export const allJobs: readonly Job[] = subjects.flatMap((subject) => [
  ...plainJobs(subject),
  fiveJob(subject),
]);

/** Compiles for good after fewer calls, and collects seldom: little has to be sent until all windows cost the same. */
export const eager: readonly string[] = [
  "--invocation-count-for-maglev=100",
  "--invocation-count-for-turbofan=400",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

const gateJob = (subject: Subject, asked: readonly Workload[], nodeArgs: readonly string[] = []): Job => ({
  subject: { ...subject, nodeArgs: [...eager, ...nodeArgs] },
  workloads: asked,
  effort: gateEffort,
});

const gated = named("json", "param", "varied", "echo");
const [raw, , fast, node] = subjects;

/** `node:http` is more code, and counts 70,000 to 85,000 instead of 44,000 until all of it is compiled. */
const nodeJob: Job = {
  ...gateJob(node, json),
  effort: { ...gateEffort, passes: 8, warmUp: 2000, windows: 10 },
};

/** What a check counts: the framework's own transport, `node:http` below it, and the reference. */
export const gateJobs: readonly Job[] = [nodeJob, gateJob(fast, gated), gateJob(raw, json)];

/** What becomes the baseline: the same with two processes of the framework's own transport, as in a check that counts again. */
export const baselineJobs: readonly Job[] = [...gateJobs, gateJob(fast, gated)];

/** The same with a planted cost, which the gate must not let through. */
export const plantedJobs: readonly Job[] = [gateJob(fast, gated, ["--import", plant]), gateJob(raw, json)];
