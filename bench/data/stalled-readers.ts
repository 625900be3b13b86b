import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { estimate, quantile, formatEstimate } from "../measure/statistics.ts";
import { startFrameworkEcho } from "./echo.ts";
import { EchoClient, openWebSocket, openMany } from "./echo-client.ts";

const HALF = 500;
const ROUNDS = 5;
/** Messages of each active client per measurement, and milliseconds between them. */
const MESSAGES = 10;
const EVERY_MS = 150;
/** Maximum resident memory of one stalled reader: its queue, and other memory of its connection. */
const MAX_KIB_EACH = 256;
const MAX_RATIO = 1.5;

/** Echo latencies of the active clients in milliseconds, ascending; their messages are spread evenly. */
const measureLatencies = async (clients: readonly EchoClient[]): Promise<Float64Array> => {
  const latencies = await Promise.all(
    clients.map(async (client, at) => {
      await pause((at / clients.length) * EVERY_MS);
      const own: number[] = [];
      for (let sent = 0; sent < MESSAGES; sent++) {
        const start = performance.now();
        await new Promise<void>((resolve, reject) => client.send(resolve, reject));
        own.push(performance.now() - start);
        await pause(Math.max(0, EVERY_MS - (performance.now() - start)));
      }
      return own;
    }),
  );
  return Float64Array.from(latencies.flat()).sort();
};

/** A client that requests an endless stream and reads nothing. */
const openStalled = (port: number): Promise<Socket> => openWebSocket(port, "/flood");

/** Measures memory, and the latency of the other clients, while half of 1,000 clients never read. */
export const measureStalledReaders = async (): Promise<void> => {
  printTitle(`WebSocket clients that read nothing, median of ${ROUNDS} rounds with a 95 % interval`);
  await using server = await startFrameworkEcho(["--expose-gc"]);
  const { vitals } = server;
  const active = await openMany(HALF, () => EchoClient.open(server.port, "/echo"));
  await measureLatencies(active);
  const [medians, tails, memory]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const withoutStalled = await measureLatencies(active);
    const before = await vitals.residentBytes();
    const stalled = await openMany(HALF, () => openStalled(server.port));
    await pause(1000); // until every send queue is full
    const withStalled = await measureLatencies(active);
    memory.push(((await vitals.residentBytes()) - before) / HALF / 1024);
    for (const socket of stalled) socket.destroy();
    await pause(500); // closed before the next measurement
    medians.push(quantile(withStalled, 0.5) / quantile(withoutStalled, 0.5));
    tails.push(quantile(withStalled, 0.99) / quantile(withoutStalled, 0.99));
  }
  for (const client of active) client[Symbol.dispose]();
  const ratio = estimate(medians);
  const maxKib = Math.max(...memory);
  printTable(
    [
      "Half of 1,000 clients never read",
      "median latency of the others, with / without",
      "p99 latency, with / without",
      "resident KiB each, at most",
    ],
    [["median, 95 %", formatEstimate(ratio, 2), formatEstimate(estimate(tails), 2), maxKib.toFixed(0)]],
  );
  gate(
    ratio.median <= MAX_RATIO,
    `the median latency of the other clients is at most ${MAX_RATIO} times as high with ${HALF} stalled readers`,
  );
  gate(maxKib <= MAX_KIB_EACH, `a client that never reads costs at most ${MAX_KIB_EACH} KiB\n`);
};
