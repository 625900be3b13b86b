/**
 * Verifies that slow clients do not deny service to others, under the default limits, on both transports: four attacks of slowhttptest, and
 * 1,000 clients, half of which never read their replies.
 *
 *   pnpm bench:slow [connections per attack] [transport]
 */
import { setTimeout as pause } from "node:timers/promises";
import { formatLatency, type Latency, measureLatency } from "../idle/latency.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { selectTransports, type Service, startService, type TransportName } from "../soak/service-report.ts";
import { attack, hasSlowhttptest, type AttackReport } from "./attack.ts";
import { measureNeverReading, type NeverReadingResult } from "./never-reading.ts";

const connections = Number(process.argv[2] ?? 600);
const selectedTransports = selectTransports(process.argv[3]);

/** Maximum delay in seconds until a connection over its limit is closed by the sweep. */
const GRACE_SECS = 2;

interface Attack {
  readonly name: string;
  readonly path: string;
  readonly limitSecs: number;
  readonly options: readonly string[];
}

const commonOptions = ["-c", String(connections), "-r", "200", "-p", "3"] as const;

const attacks: readonly Attack[] = [
  {
    name: "slow heads (-H)",
    path: "/books",
    limitSecs: 5,
    options: ["-H", ...commonOptions, "-i", "1", "-l", "15", "-x", "8"],
  },
  {
    name: "slow bodies (-B)",
    path: "/upload",
    limitSecs: 30,
    options: ["-B", ...commonOptions, "-i", "2", "-l", "42", "-s", "9000", "-x", "16"],
  },
  {
    name: "ranges (-R)",
    path: "/large/1",
    limitSecs: 75,
    options: ["-R", ...commonOptions, "-l", "10", "-a", "5", "-b", "3000", "-t", "HEAD"],
  },
  {
    name: "slow reading (-X)",
    path: "/large/32",
    limitSecs: 30,
    options: [
      "-X",
      ...commonOptions,
      "-l",
      "45",
      "-w",
      "512",
      "-y",
      "1024",
      "-n",
      "5",
      "-z",
      "32",
      "-k",
      "3",
    ],
  },
];

/** Connections of the service during an attack, including the connections of other clients and of the measurement. */
interface ConnectionStats {
  readonly accepted: number;
  /** Connections of the measurement, one for each sample. */
  readonly samples: number;
  readonly maxOpen: number;
  readonly longestMs: number;
  /** Connections at the end, without that of the last sample. */
  readonly open: number;
}

interface AttackResult extends Omit<ConnectionStats, "accepted" | "samples"> {
  readonly report: AttackReport;
  /** Connections of the attack, without its availability checks. */
  readonly attacking: number;
  readonly latency: Latency;
}

/** Samples the service's connections until stopped, and once more then. */
const watchConnections = (service: Service): (() => Promise<ConnectionStats>) => {
  let [ends, accepted, samples, maxOpen, longestMs] = [false, 0, 0, 0, 0];
  const sample = async (): Promise<number> => {
    const now = await service.sockets();
    accepted += now.accepted;
    samples++;
    [maxOpen, longestMs] = [Math.max(maxOpen, now.open), Math.max(longestMs, now.longestMs)];
    return now.open - 1;
  };
  const watching = (async () => {
    while (!ends) {
      await sample();
      await pause(250);
    }
  })();
  return async () => {
    ends = true;
    await watching;
    const open = await sample();
    return { accepted, samples, maxOpen, longestMs, open };
  };
};

const runAttack = async (service: Service, { path, options }: Attack): Promise<AttackResult> => {
  await service.sockets(); // resets the counters of earlier connections
  const stopWatching = watchConnections(service);
  const stopMeasuring = measureLatency(service.port, 4, 50);
  const report = await attack(`http://127.0.0.1:${service.port}${path}`, options);
  const latency = await stopMeasuring();
  await pause(1000);
  const { accepted, samples, ...stats } = await stopWatching();
  const attacking = accepted - samples - latency.connections - report.checks;
  return { report, latency, attacking, ...stats };
};

const checkAttack = (transport: TransportName, { name, limitSecs }: Attack, result: AttackResult): void => {
  const { report, attacking, maxOpen, longestMs, open, latency } = result;
  const check = (holds: boolean, text: string): void => gate(holds, `${transport}, ${name}: ${text}`);
  const { checks, unavailable } = report;
  check(
    attacking >= connections * 0.9,
    `the attack had ${attacking} of ${connections} connections; with those of other clients, at most ${maxOpen} were concurrent`,
  );
  check(
    checks > 0 && unavailable === 0,
    `available at ${checks - unavailable} of ${checks} checks; ${report.exit}`,
  );
  check(
    latency.failed === 0,
    `other clients were served: ${latency.failed} of ${latency.requests} requests failed`,
  );
  check(
    longestMs <= (limitSecs + GRACE_SECS) * 1000,
    `no connection lived longer than ${limitSecs} + ${GRACE_SECS} s: ${(longestMs / 1000).toFixed(1)} s`,
  );
  check(open === 0, `no connection remains open: ${open}`);
};

const checkNeverReading = (transport: TransportName, result: NeverReadingResult): void => {
  const check = (holds: boolean, text: string): void => gate(holds, `${transport}, half never read: ${text}`);
  const { withoutStalled, withStalled, residentBytes, stalled, handlers, streams, open } = result;
  const ratio = withStalled.median / withoutStalled.median;
  check(stalled === result.clients, `${stalled} of ${result.clients} clients have stalled replies`);
  check(
    withoutStalled.failed + withStalled.failed === 0,
    `other clients were served: ${withoutStalled.requests + withStalled.requests} requests, ${withoutStalled.failed + withStalled.failed} failed`,
  );
  check(
    ratio <= 1.5 || withStalled.median - withoutStalled.median < 1,
    `median latency of other clients: ${ratio.toFixed(2)} times as high (${withStalled.median.toFixed(2)} instead of ${withoutStalled.median.toFixed(2)} ms), at most 1.5 times or 1 ms more`,
  );
  const each = residentBytes / result.clients / 1024;
  check(each <= 256, `each stalled client used ${each.toFixed(0)} KiB of resident memory, at most 256`);
  check(
    open === 0 && handlers + streams === 0,
    `all connections were closed in time, and their handlers and streams ended: ${open} connections, ${handlers} handlers and ${streams} streams remain`,
  );
};

const rows: (string | number)[][] = [];
printTitle(
  `slowhttptest with ${connections} connections, and 1,000 clients, half of which never read their replies; default limits`,
);
const installed = hasSlowhttptest();
if (!installed) console.log("skipped: the four attacks, because slowhttptest is not installed\n");
for (const transport of selectedTransports) {
  for (const each of installed ? attacks : []) {
    await using service = await startService(transport);
    const result = await runAttack(service, each);
    const { attacking, maxOpen, longestMs, latency } = result;
    rows.push([
      `${transport}, ${each.name}`,
      attacking,
      maxOpen,
      (longestMs / 1000).toFixed(1),
      formatLatency(latency),
    ]);
    checkAttack(transport, each, result);
  }
  await using service = await startService(transport);
  const result = await measureNeverReading(service);
  checkNeverReading(transport, result);
  rows.push([`${transport}, others alone`, 500, 500, "", formatLatency(result.withoutStalled)]);
  rows.push([`${transport}, half never read`, 1000, 1000, "", formatLatency(result.withStalled)]);
}
console.log("");
printTable(
  [
    "Case",
    "connections",
    "concurrent",
    "longest lifetime, s",
    "latency of other clients, ms (median / p99 / maximum)",
  ],
  rows,
);
