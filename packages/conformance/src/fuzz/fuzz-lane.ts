import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { asLlhttp, readStrictly } from "./strict-reader.ts";
import { type Traffic, traffic } from "./traffic.ts";
import type { Check, Lane } from "./lanes.ts";

/** Result of a run over one lane. */
export interface LaneCount {
  connections: number;
  /** Messages that are complete according to the standard. */
  messages: number;
  bytes: number;
  differences: number;
  /** Explained differences, by name. */
  readonly accepted: Map<string, number>;
}

export const emptyCount = (): LaneCount => ({
  connections: 0,
  messages: 0,
  bytes: 0,
  differences: 0,
  accepted: new Map(),
});

/** Options of a run, with a callback for differences. */
export interface FuzzRun {
  readonly seed: number;
  readonly count: LaneCount;
  /** @default 20: more cases do not help to investigate a lane */
  readonly maxDifferences?: number;
  /** Maximum number of connections, except connections that shrink a difference. @default until `hasTimedOut` */
  readonly maxConnections?: number;
  hasTimedOut(): boolean;
  report(text: string): void;
}

const BATCH_RUNS = 500;

/** Sends random traffic over a lane until `hasTimedOut`, in batches with one seed each, and reports every difference with its smallest traffic. */
export const fuzzLane = (
  lane: Lane,
  { seed, count, hasTimedOut, report, maxDifferences = 20, maxConnections = Infinity }: FuzzRun,
): Promise<void> =>
  lane.run(
    async (check) => {
      const property = fc.asyncProperty(traffic, async (given) => {
        if (hasTimedOut()) return;
        addToCount(count, given);
        await check(given);
        if (!lane.onSockets && count.connections % 20 === 0) await setTimeout(8); // leaves most of the time to the lanes with sockets
      });
      const isDone = (): boolean =>
        hasTimedOut() || count.differences >= maxDifferences || count.connections >= maxConnections;
      for (let batch = 0; !isDone(); batch++) {
        const details = await fc.check(property, {
          seed: seed + batch,
          numRuns: Math.min(BATCH_RUNS, maxConnections - count.connections),
          interruptAfterTimeLimit: 120_000,
        });
        if (!details.failed || details.counterexample === null) continue;
        count.differences++;
        report(formatCase(lane, seed + batch, details.counterexample[0], details.errorInstance));
      }
    },
    (difference) => void count.accepted.set(difference, (count.accepted.get(difference) ?? 0) + 1),
  );

const addToCount = (count: LaneCount, { pieces }: Traffic): void => {
  const bytes = pieces.join("");
  count.connections++;
  count.bytes += bytes.length;
  count.messages += readStrictly(bytes, asLlhttp).requests.length;
};

const formatCase = (lane: Lane, seed: number, found: Traffic, error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return `${lane.name}, seed ${seed}:\n${message}\nreplay with: --replay '${asArgument(found)}'\n`;
};

/** JSON quoted for a shell. */
const asArgument = (found: Traffic): string => JSON.stringify(found).replaceAll("'", String.raw`\u0027`);

/** Runs one connection's traffic over every lane. @returns the differences by lane */
export const replay = async (
  lanes: readonly Lane[],
  given: Traffic,
): Promise<ReadonlyMap<string, unknown>> => {
  const failures = new Map<string, unknown>();
  for (const lane of lanes) {
    const run = (check: Check): Promise<void> => check(given);
    await lane.run(run).catch((error: unknown) => void failures.set(lane.name, error));
  }
  return failures;
};
