/**
 * Verifies that a killed worker loses only its requests in flight: kills one of two workers every second under load. The clients
 * do not retry.
 *
 *   pnpm bench:kill [seconds]
 */
import { setTimeout as pause } from "node:timers/promises";
import { Lane, type LaneRequest } from "../client/lane.ts";
import { probePort } from "../client/port-probe.ts";
import { Tally } from "../client/tally.ts";
import { isAlive, servingWorkers } from "../client/workers.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { startServer } from "../measure/server.ts";
import { Deaths } from "./deaths.ts";

const seconds = Number(process.argv[2] ?? 30);
const CONNECTIONS = 32;

/** Time limit for both workers to serve again; a slot whose workers keep dying is restarted after up to 5 s. */
const RECOVERY_MS = 15_000;

printTitle(`${seconds} s of load on 2 workers, one killed every second`);
await using server = await startServer("books.ts", ["--env", "production", "--workers", "2"]);
const { port } = server;
const deaths = new Deaths();
const tally = new Tally();
let longestGap = 0;
let lastReply = performance.now();
let ends = false;

/** A quarter of the clients uses a slow handler, another quarter opens a connection per request. */
const requests: readonly LaneRequest[] = [
  { path: "/slow/20" },
  { path: "/books", fields: { Connection: "close" } },
  { path: "/books" },
  { path: "/books" },
];

const lanes = Array.from({ length: CONNECTIONS }, (_, index) => {
  const request = requests[index % requests.length] as LaneRequest;
  return new Lane({
    port,
    next: () => (ends ? null : request),
    onSend: (connection) => deaths.onSend(connection),
    onOutcome: (outcome, connection) => {
      tally.add(outcome);
      deaths.onOutcome(outcome, connection);
      if (outcome.kind !== "reply") return;
      const now = performance.now();
      longestGap = Math.max(longestGap, now - lastReply);
      lastReply = now;
    },
  });
});

const running = Promise.all(lanes.map((lane) => lane.run()));
const stopProbe = probePort(port, 10);
for (let second = 0; second < seconds; second++) {
  await pause(1000);
  const liveWorkers = [...deaths.replying].filter(isAlive);
  const pid = liveWorkers[Math.floor(Math.random() * liveWorkers.length)];
  if (pid === undefined) continue;
  deaths.add(pid);
  process.kill(pid, "SIGKILL");
}
/** Sends requests until both workers have replied, since one idle worker may accept all connections of a batch. */
const bothServing = async (): Promise<ReadonlySet<number>> => {
  const from = performance.now();
  let workers = new Set<number>();
  while (workers.size !== 2 && performance.now() - from < RECOVERY_MS) {
    await pause(100);
    workers = await servingWorkers(port);
  }
  return workers;
};

const recoveryStart = performance.now();
const workers = await bothServing();
const recoveryMs = performance.now() - recoveryStart;
const { accepted, refused } = stopProbe();
ends = true;
await running;
for (const lane of lanes) lane.close();
const workersAfterLoad = await bothServing();

printTable(
  ["Requests", "replies", "failed", "workers killed", "new connections", "longest time without a reply"],
  [
    [
      tally.replies + tally.failed,
      tally.replies,
      tally.failureText,
      deaths.all.length,
      accepted,
      `${longestGap.toFixed(0)} ms`,
    ],
  ],
);
const lost = deaths.all.map(({ failed, inFlight }) => `${failed} of ${inFlight}`).join(", ");
console.log(`lost of the requests in flight, for each killed worker: ${lost}\n`);
const { unexplained } = deaths;
gate(deaths.all.length >= seconds / 3, `workers were killed: ${deaths.all.length} in ${seconds} s`);
gate(tally.failed > 0, `requests were in flight on killed workers: ${tally.failed} failed`);
gate(
  unexplained.length === 0,
  `every failed request was in flight on a killed worker; others: ${unexplained.length}`,
);
for (const text of unexplained.slice(0, 10)) console.log(`       ${text}`);
gate(
  deaths.all.every(({ failed, inFlight }) => failed <= inFlight),
  "no killed worker lost more requests than it had in flight",
);
gate(
  refused.length === 0,
  `the port refused ${refused.length} of ${accepted + refused.length} new connections`,
);
gate(tally.statuses.size === 1 && tally.statuses.has(200), `replies: ${tally.statusText}`);
gate(
  workers.size === 2 && [...workers].every((pid) => workersAfterLoad.has(pid)) && workersAfterLoad.size === 2,
  `exactly 2 workers serve ${recoveryMs.toFixed(0)} ms after the load: ${[...workersAfterLoad].length}`,
);
