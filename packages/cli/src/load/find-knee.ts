import type { Stage } from "./open-loop.ts";

/** Limits of a stage that the service can sustain. */
export interface KneeLimits {
  /** 99th percentile of latency, in milliseconds. */
  readonly p99Ms: number;
  /** Highest rate of the ramp. */
  readonly maxRate: number;
}

/** Result of a ramp. */
export interface Knee<Measured extends Stage> {
  /** The highest rate that was within the limits; 0 if none was. */
  readonly capacity: number;
  /** The stage at that rate; `null` if none was within the limits. */
  readonly best: Measured | null;
  /** Reason why the next higher rate exceeded the limits, such as `p99 of 230 ms`; `null` at `maxRate`. */
  readonly reason: string | null;
  readonly stages: readonly Measured[];
}

/** Growth of the rate from stage to stage. */
const GROWTH = 1.6;
/** Maximum number of rates tried between the last good rate and the first bad one. */
const MAX_REFINEMENTS = 3;

/** Raises the rate until a stage exceeds the limits, then narrows the interval. */
export const findKnee = async <Measured extends Stage>(
  run: (rate: number) => Promise<Measured>,
  startRate: number,
  limits: KneeLimits,
): Promise<Knee<Measured>> => {
  const stages: Measured[] = [];
  const runOnce = async (rate: number): Promise<string | null> => {
    const stage = await run(rate);
    stages.push(stage);
    const reason = overload(stage, limits);
    if (reason === null && (best === null || rate > best.offered)) best = stage;
    return reason;
  };
  // A rate is too high only if it fails twice: a single failure may be a pause of a shared machine.
  const attempt = async (rate: number): Promise<string | null> =>
    (await runOnce(rate)) === null ? null : await runOnce(rate);
  let best: Measured | null = null;
  let [low, rate] = [0, startRate];
  let reason = await attempt(rate);
  while (reason === null && rate < limits.maxRate) {
    low = rate;
    rate = Math.min(limits.maxRate, Math.round(rate * GROWTH));
    reason = await attempt(rate);
  }
  if (reason === null) return { capacity: rate, best, reason, stages };
  // A service that fails at the first rate is broken; a lower rate would not help.
  if (low === 0 && isBroken(stages.at(-1))) return { capacity: 0, best, reason, stages };
  let high = rate;
  for (let turn = 0; turn < MAX_REFINEMENTS && high - low > Math.max(1, low / 20); turn++) {
    const middle = Math.round((low + high) / 2);
    const problem = await attempt(middle);
    if (problem === null) low = middle;
    else [high, reason] = [middle, problem];
  }
  return { capacity: low, best, reason, stages };
};

const overload = (
  { offered, answered, requests, failures, p50Ms, p99Ms }: Stage,
  limits: KneeLimits,
): string | null => {
  if (failures > requests / 100) return `${failures} of ${requests} requests failed`;
  if (p99Ms > limits.p99Ms) return `p99 of ${p99Ms.toFixed(0)} ms`;
  // Requests that are due in the last milliseconds of a stage are answered after it, however few there are.
  const inStage = Math.max(0, 1 - p50Ms / 1000 / (requests / offered));
  return answered < offered * inStage * 0.95
    ? `${answered.toFixed(0)} of ${offered} requests/s were answered`
    : null;
};

const isBroken = (stage: Stage | undefined): boolean =>
  stage !== undefined && stage.failures > stage.requests / 2;
