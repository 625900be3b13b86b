import { availableParallelism, cpus } from "node:os";
import { resolve } from "node:path";
import { systemClock } from "@framework/core/feature";
import { requireProgram } from "../app/find-program.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import { table } from "../frame/table.ts";
import { type Line, styled } from "../frame/text.ts";
import { UsageError } from "../frame/usage-error.ts";
import { type ServiceSample, startService } from "../service/start-service.ts";
import { adviseWorkers, type WorkerAdvice } from "./advice.ts";
import { findKnee, type Knee } from "./find-knee.ts";
import { appendHistory, type HistoryEntry, readHistory, usualCapacity } from "./history.ts";
import { countReplies } from "./count-replies.ts";
import { httpSender } from "./http-sender.ts";
import { loadRequest } from "./load-request.ts";
import { runStage, type Stage } from "./open-loop.ts";

/** One stage, with the service's maximum event loop delay, maximum heap and mean CPU share. */
interface MeasuredStage extends Stage {
  readonly loopDelayMs: number;
  readonly heapMiB: number;
  readonly cpu: number;
}

export const measureLoad: RunCommand = async (given, { cwd, environment, progress }) => {
  const request = loadRequest(given);
  const limits = { p99Ms: given.number("p99") ?? 100, maxRate: given.number("max") ?? 20_000 };
  const firstRate = given.number("start") ?? 100;
  const startRate = given.number("start") === undefined ? Math.min(firstRate, limits.maxRate) : firstRate;
  if (startRate > limits.maxRate)
    throw new UsageError(`--start ${startRate} is above the last rate of ${limits.maxRate}; raise --max`);
  const path = resolve(cwd, given.text("history") ?? ".framework/load-history.json");
  const history = readHistory(path);
  const program = requireProgram(given.text("program"), cwd, "name it with --program src/main.ts");
  const timeoutSecs = given.number("timeout") ?? 60;
  await using service = await startService(program, {
    cwd,
    environment,
    env: "production",
    workers: 1,
    timeoutSecs,
  });
  using sender = httpSender(service.url, request);
  const replies = countReplies(() => sender.send());
  const clock = { ...systemClock, now: () => performance.now() };
  const seconds = given.number("secs") ?? 3;
  const run = async (ratePerSec: number): Promise<MeasuredStage> => {
    const from = service.samples.length;
    progress.show(shareOfRamp(ratePerSec, startRate, limits.maxRate), `${ratePerSec} requests/s`);
    const stage = await runStage({ send: replies.send, ratePerSec, seconds, clock });
    return { ...stage, ...aggregate(service.samples.slice(from)) };
  };
  progress.show(0, "warm-up");
  await runStage({
    send: replies.send,
    ratePerSec: startRate,
    seconds: Math.min(seconds, MAX_WARM_UP_SECS),
    clock,
  });
  const knee = await findKnee(run, startRate, limits);
  const facts = {
    capacity: knee.capacity,
    cpu: knee.best?.cpu ?? 0,
    isReached: knee.reason !== null,
    processors: availableParallelism(),
    target: given.number("target") ?? null,
  };
  const entry: HistoryEntry = {
    at: new Date().toISOString(),
    request: `${request.method} ${request.path}`,
    machine: cpus()[0]?.model ?? "unknown",
    capacity: knee.capacity,
    p99Ms: knee.best?.p99Ms ?? 0,
  };
  const usual = usualCapacity(history, entry);
  appendHistory(path, entry);
  return outcome(entry, {
    knee,
    usual,
    tolerance: given.number("tolerance") ?? 20,
    advice: adviseWorkers(facts),
    doubts: replies.doubts(),
  });
};

/** Maximum duration of the warm-up before the first stage. */
const MAX_WARM_UP_SECS = 2;

/** Progress of a ramp at a rate, on a logarithmic scale. The ramp may end before its last rate. */
const shareOfRamp = (rate: number, start: number, max: number): number =>
  rate >= max ? 0.95 : Math.log(rate / start) / Math.log(max / start);

const aggregate = (
  samples: readonly ServiceSample[],
): Pick<MeasuredStage, "loopDelayMs" | "heapMiB" | "cpu"> => ({
  loopDelayMs: Math.max(0, ...samples.map(({ loopDelayMs }) => loopDelayMs)),
  heapMiB: Math.max(0, ...samples.map(({ heapBytes }) => heapBytes)) / 1_048_576,
  cpu: samples.reduce((sum, { cpu }) => sum + cpu, 0) / Math.max(1, samples.length),
});

interface Findings {
  readonly knee: Knee<MeasuredStage>;
  /** Median of earlier capacities; `null` if there are none. */
  readonly usual: number | null;
  readonly tolerance: number;
  readonly advice: WorkerAdvice;
  /** Warnings that the request may be wrong. */
  readonly doubts: readonly string[];
}

const outcome = (entry: HistoryEntry, { knee, usual, tolerance, advice, doubts }: Findings): Outcome => {
  const isBelowUsual = usual !== null && knee.capacity < usual * (1 - tolerance / 100);
  const isRegression = isBelowUsual && knee.reason !== null; // without a reason, the capacity is at least the last rate
  const end = knee.reason === null ? "the rate at which the ramp ends" : `at a higher rate: ${knee.reason}`;
  const comparison: Line =
    usual === null
      ? styled("dim", "no earlier measurement of this request on this machine")
      : `usual capacity: ${usual} requests/s`;
  return {
    ok: knee.capacity > 0 && !isRegression,
    data: { ...entry, reason: knee.reason, stages: knee.stages, usual, isRegression, advice, doubts },
    lines: [
      ...table(
        ["RATE", "ANSWERED", "FAILED", "P50 MS", "P99 MS", "MAX MS", "LOOP MS", "HEAP MIB", "CPU %"],
        knee.stages.map(row),
      ),
      "",
      [styled("bold", `capacity of one worker: ${knee.capacity} requests/s`), ` (${end})`],
      comparison,
      ...(isRegression
        ? [styled("red", `regression: more than ${tolerance} % below the usual capacity`)]
        : []),
      `workers: ${advice.workers} (${advice.reason})`,
      ...doubts.map((doubt) => styled("yellow", doubt)),
    ],
  };
};

const row = ({
  offered,
  answered,
  failures,
  p50Ms,
  p99Ms,
  maxMs,
  loopDelayMs,
  heapMiB,
  cpu,
}: MeasuredStage): readonly string[] => [
  String(offered),
  answered.toFixed(0),
  String(failures),
  p50Ms.toFixed(1),
  p99Ms.toFixed(1),
  maxMs.toFixed(1),
  loopDelayMs.toFixed(1),
  heapMiB.toFixed(0),
  (cpu * 100).toFixed(0),
];
