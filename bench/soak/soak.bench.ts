/**
 * Proves that hours of hostile and failing clients leak nothing: valid, invalid, slow, aborted, reset, streamed, pipelined and
 * handed-over requests on both transports; after each tenth of the time the load stops and the service must be as it was.
 *
 *   pnpm bench:soak [minutes for each transport] [transport]
 */
import { seededRandom } from "@framework/testing";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { scenes, soakTimeouts } from "./scenes.ts";
import {
  isAlone,
  type Left,
  type Service,
  startService,
  type TransportName,
  transports,
} from "./service-report.ts";

const minutes = Number(process.argv[2] ?? 2);
const wanted = process.argv[3];
const STATIONS = 10;
const CLIENTS = 60;
const SEED = 7;

/** From the end of the load: what is still open runs into its limit, and a sweep sees that. */
const settleMs = (soakTimeouts.idleSecs + 8) * 1000;

interface Station extends Left {
  readonly scenes: number;
  readonly alone: boolean;
}

/** Faults by message, with their counts. */
type Faults = Map<string, number>;

const play = async (port: number, endsAt: number, random: () => number, faults: Faults): Promise<number> => {
  let played = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const scene = scenes[Math.floor(random() * scenes.length)] as (typeof scenes)[number];
      const fault = await scene(port, random);
      played++;
      if (fault !== null) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return played;
};

/** Of three readings the one with the smallest heap, because objects that wait for a finalizer are not a leak. */
const settled = async (service: Service): Promise<Omit<Station, "scenes">> => {
  const alone = await isAlone(service, settleMs);
  const readings = [await service.left(), await service.left(), await service.left()];
  const least = readings.reduce((low, reading) => (reading.heapBytes < low.heapBytes ? reading : low));
  return { ...least, alone };
};

const handles = ({ resources }: Left): number => Object.values(resources).reduce((a, b) => a + b, 0);
const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2);

/** Heap growth per round in bytes, by least squares. */
const slope = (heaps: readonly number[]): number => {
  const middle = (heaps.length - 1) / 2;
  const mean = heaps.reduce((a, b) => a + b, 0) / heaps.length;
  const squares = heaps.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return heaps.reduce((sum, heap, at) => sum + (at - middle) * (heap - mean), 0) / squares;
};

const judge = (
  transport: TransportName,
  seen: readonly Station[],
  faults: Faults,
  errors: readonly string[],
): void => {
  const [first, last] = [seen[0], seen.at(-1)] as [Station, Station];
  const middle = seen[Math.floor((seen.length - 1) / 2)] as Station;
  const growth = last.heapBytes - middle.heapBytes;
  const bufferGrowth = last.bufferBytes - middle.bufferBytes;
  const allowed = Math.max(2 * 1024 * 1024, middle.heapBytes * 0.03);
  const second = seen.slice(Math.floor(seen.length / 2)).map(({ heapBytes }) => heapBytes);
  const total = seen.reduce((sum, station) => sum + station.scenes, 0);
  const wrongs = [...faults.values()].reduce((a, b) => a + b, 0);
  const say = (holds: boolean, text: string): void => gate(holds, `${transport}: ${text}`);
  say(wrongs === 0, `no wrong reply: ${wrongs} of ${total}`);
  for (const [fault, count] of [...faults].slice(0, 20)) console.log(`       ${count} x ${fault}`);
  say(errors.length === 0, `the log has no error: ${errors.length}`);
  for (const line of errors.slice(0, 10)) console.log(`       ${line.slice(0, 300)}`);
  say(
    growth < allowed,
    `the heap grew by ${mebibytes(growth)} MiB in the second half, under ${mebibytes(allowed)}`,
  );
  say(
    bufferGrowth < allowed,
    `buffers grew by ${mebibytes(bufferGrowth)} MiB in the second half, under ${mebibytes(allowed)}`,
  );
  console.log(`       heap slope of the second half: ${(slope(second) / 1024).toFixed(1)} KiB per round`);
  say(
    seen.every(({ alone }) => alone),
    "every connection was gone after each part",
  );
  say(
    seen.every(({ handlers, streams }) => handlers === 0 && streams === 0),
    `handlers and streams all ended: ${last.handlers} and ${last.streams} left`,
  );
  say(handles(last) <= handles(first), `open handles are flat: ${handles(first)}, then ${handles(last)}`);
};

const soak = async (transport: TransportName): Promise<void> => {
  await using service = await startService(transport, { timeouts: soakTimeouts });
  const random = seededRandom(SEED);
  const faults: Faults = new Map();
  const seen: Station[] = [];
  for (let station = 0; station < STATIONS; station++) {
    const endsAt = performance.now() + (minutes * 60_000) / STATIONS;
    const played = await play(service.port, endsAt, random, faults);
    seen.push({ scenes: played, ...(await settled(service)) });
  }
  printTable(
    [`Clients on ${transport}`, "heap MiB", "buffers MiB", "resident MiB", "handles", "handlers", "streams"],
    seen.map((station) => [
      station.scenes,
      mebibytes(station.heapBytes),
      mebibytes(station.bufferBytes),
      mebibytes(station.residentBytes),
      handles(station),
      station.handlers,
      station.streams,
    ]),
  );
  judge(transport, seen, faults, service.errors());
  console.log("");
};

printTitle(`${minutes} minutes of ${CLIENTS} mixed clients on each transport, seed ${SEED}`);
for (const transport of transports) if (wanted === undefined || wanted === transport) await soak(transport);
