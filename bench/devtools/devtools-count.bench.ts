/**
 * Counts the user-space instructions that the dev page adds to a request over a socket: without tools, with the page closed, and with it open. Unlike
 * times, instructions do not depend on machine load. A server under valgrind is slow while timers run in real time, so work done once per second is
 * counted separately and charged to one second of a CPU core, not to the few requests of that second.
 *
 *   pnpm --filter @framework/bench run bench:devtools:count
 */
import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { verify } from "../workloads/verify.ts";
import { workloads } from "../workloads/workloads.ts";
import { type CountedServer, startCounted } from "../instructions/callgrind.ts";
import { findInstrument } from "../instructions/callgrind.ts";
import { earlyOptimization } from "../instructions/subjects.ts";
import { Load } from "../load/load.ts";
import type { Shot } from "../load/shot.ts";
import { startServer } from "../measure/server.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";

const CONNECTIONS = 16;
const WARM_UP = 2000;
const REQUESTS = 500;
const WINDOWS = 8;
const IDLE_WINDOWS = 5;
const IDLE_MS = 2000;
/** Instructions per second of a slow CPU core. */
const INSTRUCTIONS_PER_SECOND = 2e9;
const RECORDED_PER_SECOND = 50;
/** Maximum share of a request that an open page adds. */
const OPEN_LIMIT = 0.05;
/** Maximum share of a request that a closed page adds. */
const CLOSED_LIMIT = 0.01;

interface Window {
  readonly instructions: number;
  readonly recorded: number;
  readonly reports: number;
}

interface Measured {
  readonly windows: readonly Window[];
  /** Instructions per second without requests; the minimum of several windows. */
  readonly idle: number;
}

/** An open page. Counts the requests and reports that it receives. */
class Page {
  recorded = 0;
  reports = 0;
  private readonly stop = new AbortController();

  async open(link: string): Promise<void> {
    const { origin, hash } = new URL(link);
    const headers = { authorization: `Bearer ${hash.slice("#token=".length)}` };
    const reply = await fetch(`${origin}/live`, { headers, signal: this.stop.signal });
    void this.read(reply).catch(() => {}); // `close` aborts it
  }

  close(): void {
    this.stop.abort();
  }

  private async read(reply: Response): Promise<void> {
    for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      this.recorded += chunk.split('"type":"request"').length - 1;
      this.reports += chunk.split('"type":"traffic"').length - 1;
    }
  }
}

const windowsOf = async (
  server: CountedServer,
  load: Load,
  shot: Shot,
  page: Page | null,
): Promise<Measured> => {
  const windows: Window[] = [];
  let idle = Infinity;
  await server.whileCounting(async () => {
    await load.run(shot, CONNECTIONS, REQUESTS);
    await server.takeCounts();
    for (let at = 0; at < WINDOWS; at++) {
      const [recorded, reports] = [page?.recorded ?? 0, page?.reports ?? 0];
      await load.run(shot, CONNECTIONS, REQUESTS);
      const { instructions } = await server.takeCounts();
      windows.push({
        instructions: instructions / REQUESTS,
        recorded: ((page?.recorded ?? 0) - recorded) / REQUESTS,
        reports: ((page?.reports ?? 0) - reports) / REQUESTS,
      });
    }
    for (let at = 0; at < IDLE_WINDOWS; at++) {
      await pause(IDLE_MS);
      idle = Math.min(idle, (await server.takeCounts()).instructions / (IDLE_MS / 1000));
    }
  });
  return { windows, idle };
};

const measure = async (args: readonly string[], isOpen: boolean): Promise<Measured> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "devtools-count-"));
  const link = join(folder.path, "link");
  await using server = await startCounted(
    "framework-devtools.ts",
    [...args, "--link", link],
    earlyOptimization,
  );
  const workload = workloads.find(({ name }) => name === "json");
  if (workload === undefined) throw new Error("there is no workload json");
  const shot = await verify("devtools", server.port, workload);
  const load = new Load(server.port);
  const page = isOpen ? new Page() : null;
  try {
    await page?.open(readFileSync(link, "utf8"));
    await load.run(shot, CONNECTIONS, WARM_UP);
    await load.run(shot, CONNECTIONS, WARM_UP);
    return await windowsOf(server, load, shot, page);
  } finally {
    load.close();
    page?.close();
  }
};

/** Measures the user-space share of the processor time of a request, on a server without valgrind. */
const userShare = async (): Promise<number> => {
  await using server = await startServer("framework-devtools.ts", []);
  const workload = workloads.find((each) => each.name === "json");
  if (workload === undefined) throw new Error("there is no workload json");
  const shot = await verify("devtools", server.port, workload);
  const load = new Load(server.port);
  await load.run(shot, CONNECTIONS, 20_000);
  const [user, system] = ticksOf(server.program.pid);
  await load.run(shot, CONNECTIONS, 60_000);
  const [laterUser, laterSystem] = ticksOf(server.program.pid);
  load.close();
  return (laterUser - user) / (laterUser - user + laterSystem - system);
};

/** Reads the processor time of a process in user and system mode, in kernel ticks. */
const ticksOf = (pid: number): readonly [user: number, system: number] => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [Number(fields[11]), Number(fields[12])];
};

const { name, reason } = findInstrument();
if (name === null) throw new Error(reason);
const plain = await measure([], false);
const closed = await measure(["--tools"], false);
const few = await measure(["--tools", "--per-second", "1"], true);
const all = await measure(["--tools", "--per-second", "1000"], true);

const cost = ({ windows }: Measured): number => Math.min(...windows.map(({ instructions }) => instructions));
const perSecond = Math.max(0, few.idle - plain.idle);
/** Returns the cheapest window, without its reports. Noise, such as a garbage collection, or late compilation on a busy machine, only adds instructions. */
const cheapest = ({ windows }: Measured): { readonly instructions: number; readonly recorded: number } =>
  windows
    .map(({ instructions, recorded, reports }) => ({
      instructions: instructions - reports * perSecond,
      recorded,
    }))
    .reduce((best, each) => (each.instructions < best.instructions ? each : best));
const [least, most] = [cheapest(few), cheapest(all)];
const perRecord = Math.max(0, (most.instructions - least.instructions) / (most.recorded - least.recorded));
const unrecorded = least.instructions - perRecord * least.recorded;
const base = cost(plain);
const user = await userShare();
const closedPart = (cost(closed) / base - 1) * user;
const openPart =
  ((unrecorded - base) / base) * user +
  (RECORDED_PER_SECOND * perRecord + perSecond) / INSTRUCTIONS_PER_SECOND;

printTitle(`Cost of the dev page in user-space instructions (${name})`);
printTable(
  ["Part", "Instructions"],
  [
    ["a request without tools", base.toFixed(0)],
    ["a request, page closed", cost(closed).toFixed(0)],
    ["a request, page open, not recorded", unrecorded.toFixed(0)],
    ["recording a request", perRecord.toFixed(0)],
    ["a second with an open page", perSecond.toFixed(0)],
    ["share of a request's time in user space", `${(user * 100).toFixed(0)} %`],
  ],
);
gate(
  closedPart <= CLOSED_LIMIT,
  `closed page: adds ${(closedPart * 100).toFixed(2)} % of a request, at most 1 %`,
);
gate(
  openPart <= OPEN_LIMIT,
  `open page with ${RECORDED_PER_SECOND} recorded requests per second, on a fully loaded core with 2e9 instructions per second: adds ${(openPart * 100).toFixed(2)} % of a request, at most 5 %`,
);
