import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gate, printTable } from "../measure/report.ts";
import { estimate, quantile, shown } from "../measure/statistics.ts";
import { startFrameworkEcho } from "./echo.ts";
import { EchoClient, handshaken, openMany } from "./echo-client.ts";

const HALF = 500;
const ROUNDS = 5;
/** Messages of each active client per measurement, and milliseconds between them. */
const LOOKS = 10;
const EVERY_MS = 150;
/** Limits on the queue of one stalled reader, and on its connection's other memory. */
const MOST_KIB_EACH = 256;
const MOST_RATIO = 1.5;

/** Echo latencies of the active clients in milliseconds, ascending; their messages are spread evenly. */
const wait = async (clients: readonly EchoClient[]): Promise<Float64Array> => {
  const waited = await Promise.all(
    clients.map(async (client, at) => {
      await pause((at / clients.length) * EVERY_MS);
      const mine: number[] = [];
      for (let look = 0; look < LOOKS; look++) {
        const start = performance.now();
        await new Promise<void>((resolve, reject) => client.send(resolve, reject));
        mine.push(performance.now() - start);
        await pause(Math.max(0, EVERY_MS - (performance.now() - start)));
      }
      return mine;
    }),
  );
  return Float64Array.from(waited.flat()).sort();
};

/** A client that requests an endless stream and reads nothing. */
const openStuck = (port: number): Promise<Socket> => handshaken(port, "/flood");

/** Half of 1,000 connections never read: measures memory, and the latency of the others. */
export const measureStuck = async (): Promise<void> => {
  await using server = await startFrameworkEcho(["--expose-gc"]);
  const { vitals } = server;
  const lively = await openMany(HALF, () => EchoClient.open(server.port, "/echo"));
  await wait(lively);
  const [medians, tails, memory]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await wait(lively);
    const before = await vitals.residentBytes();
    const stuck = await openMany(HALF, () => openStuck(server.port));
    await pause(1000); // until every send queue is full
    const beside = await wait(lively);
    memory.push(((await vitals.residentBytes()) - before) / HALF / 1024);
    for (const socket of stuck) socket.destroy();
    await pause(500); // closed before the next measurement
    medians.push(quantile(beside, 0.5) / quantile(alone, 0.5));
    tails.push(quantile(beside, 0.99) / quantile(alone, 0.99));
  }
  for (const client of lively) client[Symbol.dispose]();
  const ratio = estimate(medians);
  const each = Math.max(...memory);
  printTable(
    [
      "Half of 1,000 never read",
      "latency of others, ratio, median",
      "the same, p99",
      "resident KiB each, at most",
    ],
    [["median, 95 %", shown(ratio, 2), shown(estimate(tails), 2), each.toFixed(0)]],
  );
  gate(
    ratio.median <= MOST_RATIO,
    `latency of others is at most ${MOST_RATIO} times as high with ${HALF} stalled readers`,
  );
  gate(each <= MOST_KIB_EACH, `a client that never reads costs at most ${MOST_KIB_EACH} KiB\n`);
};
