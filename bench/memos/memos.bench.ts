/**
 * Counts the user-space instructions of one request with each memo and shortcut of the hot path disabled, and with all enabled.
 *
 *   bench:memos                  every memo
 *   bench:memos head,reply-line  only these
 */
import { type Workload, workloads } from "../workloads/workloads.ts";
import { findInstrument } from "../instructions/callgrind.ts";
import { type Count, countSubject, gateEffort } from "../instructions/count.ts";
import { earlyOptimization } from "../instructions/subjects.ts";
import { printTable, printTitle } from "../measure/report.ts";
import { selectNames } from "../measure/select-names.ts";
import { type Memo, memos, type MemoServer } from "./memos.ts";

/** Concurrently counted servers. */
const LANES = 2;

const workloadNames: Readonly<Record<MemoServer, readonly string[]>> = {
  fast: ["json", "param", "varied", "echo"],
  five: ["mw5"],
  node: ["json", "param", "varied", "echo"],
};

const args: Readonly<Record<MemoServer, readonly string[]>> = {
  fast: ["--transport=fast"],
  five: ["--transport=fast", "--five"],
  node: ["--transport=node"],
};

const workloadsOf = (server: MemoServer): Workload[] =>
  workloads.filter(({ name }) => workloadNames[server].includes(name));

const count = (server: MemoServer, memo: Memo | null): Promise<Map<string, Count>> => {
  const flags = memo === null ? [] : ["--import", new URL(`without.ts?${memo.name}`, import.meta.url).href];
  return countSubject(
    {
      name: `${server}, ${memo === null ? "all memos" : `without ${memo.name}`}`,
      file: "framework.ts",
      args: args[server],
      nodeArgs: [...earlyOptimization, ...flags],
    },
    workloadsOf(server),
    server === "five" ? { ...gateEffort, passes: 6 } : gateEffort,
  );
};

interface Job {
  readonly server: MemoServer;
  readonly memo: Memo | null;
}

const countAll = async (jobs: readonly Job[]): Promise<ReadonlyMap<Job, Map<string, Count>>> => {
  const waiting = [...jobs];
  const counts = new Map<Job, Map<string, Count>>();
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const counted = await count(job.server, job.memo);
      counts.set(job, counted);
      const cells = [...counted].map(([workload, { instructions }]) => `${workload} ${instructions}`);
      console.log(`${job.server}, ${job.memo?.name ?? "all memos"}: ${cells.join(", ")}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return counts;
};

const savingOf = (enabled: number, disabled: number): string => {
  const saved = disabled - enabled;
  return `${saved} (${((saved / disabled) * 100).toFixed(1)} %)`;
};

const [names = ""] = process.argv.slice(2).filter((argument) => argument !== "--");
const known = memos.map((memo) => memo.name);
const selectedNames = names === "" ? known : selectNames("memo", names.split(","), known);
const selectedMemos = memos.filter((memo) => selectedNames.includes(memo.name));
const { name, reason } = findInstrument();
printTitle("Instructions saved by each memo per request");
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
if (name === null) console.log(`Skipped: ${reason}`);
else {
  const servers = (["fast", "five", "node"] as const).filter((server) =>
    selectedMemos.some((memo) => memo.servers.includes(server)),
  );
  const references = new Map<MemoServer, Job>(servers.map((server) => [server, { server, memo: null }]));
  const jobs = selectedMemos.flatMap((memo) => memo.servers.map((server) => ({ server, memo })));
  const counts = await countAll([...references.values(), ...jobs]);
  console.log("");
  for (const [server, reference] of references) {
    const all = counts.get(reference) as Map<string, Count>;
    const cells = [...all.entries()];
    const rows = jobs
      .filter((job) => job.server === server)
      .map((job) => [
        job.memo.name,
        ...cells.map(([workload, { instructions }]) =>
          savingOf(instructions, counts.get(job)?.get(workload)?.instructions ?? NaN),
        ),
      ]);
    printTable(
      [`${server}: memo`, ...cells.map(([workload]) => workload)],
      [["all memos enabled", ...cells.map(([, { instructions }]) => instructions)], ...rows],
    );
  }
}
