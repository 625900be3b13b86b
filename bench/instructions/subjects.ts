import { type Workload, workloads } from "../compare/workloads.ts";
import { type Effort, type Subject, usualEffort } from "./count.ts";

/** What one process of a server is asked. */
export interface Job {
  readonly subject: Subject;
  readonly workloads: readonly Workload[];
  readonly effort: Effort;
}

/** What every ratio is made to. */
export const reference = "raw json";

const subjects: readonly Subject[] = [
  { name: "raw", file: "raw.ts", args: [] },
  { name: "tuned", file: "raw.ts", args: ["--tuned"] },
  { name: "fast", file: "framework.ts", args: ["--transport=fast"] },
  { name: "node", file: "framework.ts", args: ["--transport=node"] },
];

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

/** What a check counts unless it is told to count everything: the framework's own transport, and the reference. */
export const gateJobs: readonly Job[] = allJobs.filter(
  ({ subject, workloads: asked }) => asked === json || (subject.name === "fast" && asked === plain),
);

/** Whether a cell is one of the framework's, and so one that a check may fail for. */
export const isFramework = (cell: string): boolean => /^(?:fast|node) /.test(cell);
