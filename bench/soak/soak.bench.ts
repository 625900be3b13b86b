/**
 * Verifies that hostile and failing clients leak nothing, even over hours: valid, invalid, slow, aborted, reset, streamed and pipelined requests on both
 * transports. After each tenth of the time the load stops, and all resources must be released.
 *
 *   pnpm bench:soak [minutes for each transport] [transport]
 */
import { seededRandom } from "@framework/testing";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { scenarios, soakTimeouts } from "./scenarios.ts";
import {
  waitUntilOthersClose,
  type OpenResources,
  selectTransports,
  type Service,
  startService,
  type TransportName,
} from "./service-report.ts";

const minutes = Number(process.argv[2] ?? 2);
const selectedTransports = selectTransports(process.argv[3]);
const ROUNDS = 10;
const CLIENTS = 60;
const SEED = 7;

/** Time after the load for open connections to reach their limits and be closed. */
const settleMs = (soakTimeouts.idleSecs + 8) * 1000;

interface RoundResult extends OpenResources {
  readonly scenarios: number;
  readonly othersClosed: boolean;
}

/** Faults by message, with their counts. */
type Faults = Map<string, number>;

const runClients = async (
  port: number,
  endsAt: number,
  random: () => number,
  faults: Faults,
): Promise<number> => {
  let completed = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const scenario = scenarios[Math.floor(random() * scenarios.length)] as (typeof scenarios)[number];
      const fault = await scenario(port, random);
      completed++;
      if (fault !== null) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return completed;
};

/** Returns the reading with the smallest heap of three, because objects that wait for a finalizer are not a leak. */
const readSettled = async (service: Service): Promise<Omit<RoundResult, "scenarios">> => {
  const othersClosed = await waitUntilOthersClose(service, settleMs);
  const readings = [
    await service.openResources(),
    await service.openResources(),
    await service.openResources(),
  ];
  const smallest = readings.reduce((low, reading) => (reading.heapBytes < low.heapBytes ? reading : low));
  return { ...smallest, othersClosed };
};

const handles = ({ resources }: OpenResources): number => Object.values(resources).reduce((a, b) => a + b, 0);
const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2);

/** Heap growth per round in bytes, by least squares. */
const slope = (heaps: readonly number[]): number => {
  const middle = (heaps.length - 1) / 2;
  const mean = heaps.reduce((a, b) => a + b, 0) / heaps.length;
  const squares = heaps.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return heaps.reduce((sum, heap, at) => sum + (at - middle) * (heap - mean), 0) / squares;
};

const checkGates = (
  transport: TransportName,
  results: readonly RoundResult[],
  faults: Faults,
  errors: readonly string[],
): void => {
  const [first, last] = [results[0], results.at(-1)] as [RoundResult, RoundResult];
  const middle = results[Math.floor((results.length - 1) / 2)] as RoundResult;
  const growth = last.heapBytes - middle.heapBytes;
  const bufferGrowth = last.bufferBytes - middle.bufferBytes;
  const allowed = Math.max(2 * 1024 * 1024, middle.heapBytes * 0.03);
  const secondHalf = results.slice(Math.floor(results.length / 2)).map(({ heapBytes }) => heapBytes);
  const total = results.reduce((sum, round) => sum + round.scenarios, 0);
  const faultCount = [...faults.values()].reduce((a, b) => a + b, 0);
  const check = (holds: boolean, text: string): void => gate(holds, `${transport}: ${text}`);
  check(faultCount === 0, `no wrong reply: ${faultCount} of ${total}`);
  for (const [fault, count] of [...faults].slice(0, 20)) console.log(`       ${count} x ${fault}`);
  check(errors.length === 0, `the log has no error: ${errors.length}`);
  for (const line of errors.slice(0, 10)) console.log(`       ${line.slice(0, 300)}`);
  check(
    growth < allowed,
    `the heap grew by ${mebibytes(growth)} MiB in the second half, under ${mebibytes(allowed)}`,
  );
  check(
    bufferGrowth < allowed,
    `buffers grew by ${mebibytes(bufferGrowth)} MiB in the second half, under ${mebibytes(allowed)}`,
  );
  console.log(`       heap slope of the second half: ${(slope(secondHalf) / 1024).toFixed(1)} KiB per round`);
  check(
    results.every(({ othersClosed: closed }) => closed),
    "every connection was closed after each round",
  );
  check(
    results.every(({ handlers, streams }) => handlers === 0 && streams === 0),
    `all handlers and streams ended: ${last.handlers} and ${last.streams} in progress`,
  );
  check(handles(last) <= handles(first), `open handles are flat: ${handles(first)}, then ${handles(last)}`);
};

const soak = async (transport: TransportName): Promise<void> => {
  await using service = await startService(transport, { timeouts: soakTimeouts });
  const random = seededRandom(SEED);
  const faults: Faults = new Map();
  const results: RoundResult[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const endsAt = performance.now() + (minutes * 60_000) / ROUNDS;
    const completed = await runClients(service.port, endsAt, random, faults);
    results.push({ scenarios: completed, ...(await readSettled(service)) });
  }
  printTable(
    [`Clients on ${transport}`, "heap MiB", "buffers MiB", "resident MiB", "handles", "handlers", "streams"],
    results.map((round) => [
      round.scenarios,
      mebibytes(round.heapBytes),
      mebibytes(round.bufferBytes),
      mebibytes(round.residentBytes),
      handles(round),
      round.handlers,
      round.streams,
    ]),
  );
  checkGates(transport, results, faults, service.errors());
  console.log("");
};

printTitle(`${minutes} minutes of ${CLIENTS} mixed clients on each transport, seed ${SEED}`);
for (const transport of selectedTransports) await soak(transport);
