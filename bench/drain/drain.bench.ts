/**
 * Verifies that a stop loses no accepted request: sends SIGTERM under load, to single processes and to each worker of a running service in turn.
 *
 *   pnpm bench:drain [rounds]
 */
import { gate, printTable, printTitle } from "../measure/report.ts";
import { rollWorkers } from "./rolling.ts";
import { type StopResult, stopUnderLoad } from "./single.ts";

const rounds = Number(process.argv[2] ?? 8);
/** The default of `ClusterConfig.shutdownTimeoutSecs`. */
const DEADLINE_MS = 30_000;

printTitle(`SIGTERM under load: ${rounds} single processes, then the workers of one service`);
const stops: StopResult[] = [];
for (let round = 0; round < rounds; round++) stops.push(await stopUnderLoad());
const rolled = await rollWorkers(Math.max(2, rounds / 2), 20_000);

printTable(
  ["Single process", "replies", "with Connection: close", "failed", "drain ms", "exit code"],
  stops.map(({ tally, drainMs, code }, round) => [
    round + 1,
    tally.replies,
    tally.closes,
    tally.failureText,
    drainMs.toFixed(0),
    String(code),
  ]),
);
const { tally, replaced, slowestMs } = rolled;
printTable(
  ["Workers replaced", "replies", "with Connection: close", "failed", "slowest replacement ms"],
  [[replaced, tally.replies, tally.closes, tally.failureText, slowestMs.toFixed(0)]],
);

const lost = stops.map((stop) => stop.lost).reduce((a, b) => a + b, 0);
const replies = stops.map((stop) => stop.tally.replies).reduce((a, b) => a + b, 0);
gate(lost === 0, `single process: ${lost} of ${replies + lost} accepted requests lost`);
gate(
  stops.every(({ code }) => code === 0),
  "single process: every exit code is 0",
);
gate(
  stops.every(({ drainMs }) => drainMs < DEADLINE_MS),
  "single process: every drain ends before its deadline",
);
gate(
  tally.failed === 0 && tally.replies >= 20_000,
  `workers: ${tally.failed} of ${tally.replies + tally.failed} requests lost`,
);
gate(tally.closes > 0, `workers: connections were closed and reopened ${tally.closes} times`);
gate(rolled.code === 0, `workers: the service exits with code ${rolled.code}`);
