/**
 * Verifies that requests leak nothing: the heap after a garbage collection and the open handles do not grow over a mix of valid, invalid,
 * streamed and aborted requests on keep-alive connections.
 *
 *   pnpm bench:memory [requests]
 */
import { setTimeout as pause } from "node:timers/promises";
import { fetchJson } from "../client/fetch-json.ts";
import { ClosedLoop } from "../client/closed-loop.ts";
import { mix, mixStatuses } from "../client/mix.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import type { Vitals } from "../servers/vitals.ts";

const total = Number(process.argv[2] ?? 200_000);
const checkpoints = [0.1, 0.5, 1].map((share) => Math.round(total * share));
const CONNECTIONS = 32;

/** Maximum time until the server has closed the connections of disconnected clients. */
const SETTLE_MS = 10_000;
/** Longer than the longest handler. */
const LAST_HANDLER_MS = 1500;

interface Checkpoint extends Vitals {
  readonly requests: number;
}

const sockets = ({ resources }: Vitals): number => resources["TCPSocketWrap"] ?? 0;

/**
 * Reads the server's state once the connections of disconnected clients are closed. Returns the reading with the smallest heap of three, because objects that
 * wait for a finalizer are not a leak.
 */
const readSettled = async (port: number, maxSockets: number): Promise<Vitals> => {
  await pause(LAST_HANDLER_MS);
  const deadline = performance.now() + SETTLE_MS;
  const readings: Vitals[] = [];
  while (readings.length < 3) {
    const vitals = (await fetchJson(port, "/vitals")) as Vitals;
    if (sockets(vitals) <= maxSockets || performance.now() > deadline) readings.push(vitals);
  }
  return readings.reduce((smallest, reading) =>
    reading.heapBytes < smallest.heapBytes ? reading : smallest,
  );
};

const handles = ({ resources }: Vitals): number => Object.values(resources).reduce((a, b) => a + b, 0);
const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(2);
const formatResources = (resources: Vitals["resources"]): string =>
  Object.entries(resources)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");

printTitle(`Heap and handles over ${total} requests on ${CONNECTIONS} connections`);
/** Without bytecode flushing: V8 would discard megabytes of unused code at any time, which could hide a leak. */
const nodeFlags = ["--expose-gc", "--no-flush-bytecode"];

await using server = await startServer("books.ts", ["--env", "production", "--workers", "1"], nodeFlags);
/** Includes the connection of the reading, and the listener, which Node counts as a socket if its address was bound before. */
const maxSockets = CONNECTIONS + sockets((await fetchJson(server.port, "/vitals")) as Vitals);
const loop = new ClosedLoop(server.port, CONNECTIONS);
const next = mix();
const results: Checkpoint[] = [];
let [unexpected, failed, disconnected, sent] = [0, 0, 0, 0];
for (const requests of checkpoints) {
  const tally = await loop.run(requests - sent, next);
  sent = requests;
  failed += tally.failed;
  disconnected += tally.disconnected;
  for (const [status, count] of tally.statuses) if (!mixStatuses.has(status)) unexpected += count;
  console.log(
    `${requests} requests: ${tally.statusText}; ${tally.disconnected} aborted by the client; failed: ${tally.failureText}`,
  );
  results.push({ requests, ...(await readSettled(server.port, maxSockets)) });
}
loop.close();

console.log("");
printTable(
  ["Requests", "heap MiB", "buffers MiB", "resident MiB", "open handles"],
  results.map(({ requests, heapBytes, bufferBytes, residentBytes, resources }) => [
    requests,
    mebibytes(heapBytes),
    mebibytes(bufferBytes),
    mebibytes(residentBytes),
    formatResources(resources),
  ]),
);
const [first, middle, last] = results as [Checkpoint, Checkpoint, Checkpoint];
const growth = last.heapBytes - middle.heapBytes;
const bufferGrowth = last.bufferBytes - middle.bufferBytes;
const allowed = Math.max(2 * 1024 * 1024, middle.heapBytes * 0.03);
gate(failed === 0, `no request failed: ${failed} of ${total}`);
gate(unexpected === 0, `no reply had an unexpected status: ${unexpected}`);
gate(disconnected > 0, `requests aborted by clients: ${disconnected}`);
gate(
  growth < allowed,
  `the heap grew by ${mebibytes(growth)} MiB in the second half, under ${mebibytes(allowed)}`,
);
gate(
  bufferGrowth < allowed,
  `buffers grew by ${mebibytes(bufferGrowth)} MiB in the second half, under ${mebibytes(allowed)}`,
);
gate(
  results.every((checkpoint) => sockets(checkpoint) <= maxSockets),
  `only the client's sockets are open: ${results.map(sockets).join(", ")}, at most ${maxSockets}`,
);
const otherHandles = (vitals: Vitals): number => handles(vitals) - sockets(vitals);
gate(
  otherHandles(last) <= otherHandles(first),
  `other open handles are flat: ${otherHandles(first)}, then ${otherHandles(last)}`,
);
