/**
 * Verifies that slow clients do not deny service to others, under the default limits, on both transports: four attacks of slowhttptest, and
 * 1,000 clients of which half never read their replies.
 *
 *   pnpm bench:slow [connections per attack] [transport]
 */
import { setTimeout as pause } from "node:timers/promises";
import { formatLatency, type Latency, measureLatency } from "../idle/latency.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { type Service, startService, type TransportName, transports } from "../soak/service-report.ts";
import { attack, hasSlowhttptest, type AttackReport } from "./attack.ts";
import { measureNeverReading, type NeverReadingResult } from "./never-reading.ts";

const connections = Number(process.argv[2] ?? 600);
const selectedTransport = process.argv[3];

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
  readonly maxOpen: number;
  readonly longestMs: number;
}

interface AttackResult extends ConnectionStats {
  readonly report: AttackReport;
  readonly open: number;
  readonly latency: Latency;
}

/** Samples the service's connections until stopped. */
const watchConnections = (service: Service): (() => Promise<ConnectionStats>) => {
  let [ends, accepted, maxOpen, longestMs] = [false, 0, 0, 0];
  const watching = (async () => {
    while (!ends) {
      const now = await service.sockets();
      accepted += now.accepted;
      [maxOpen, longestMs] = [Math.max(maxOpen, now.open), Math.max(longestMs, now.longestMs)];
      await pause(250);
    }
  })();
  return async () => {
    ends = true;
    await watching;
    return { accepted, maxOpen, longestMs };
  };
};

const runAttack = async (service: Service, { path, options }: Attack): Promise<AttackResult> => {
  await service.sockets(); // resets the counters of earlier connections
  const stopWatching = watchConnections(service);
  const stopMeasuring = measureLatency(service.port, 4, 50);
  const report = await attack(`http://127.0.0.1:${service.port}${path}`, options);
  const latency = await stopMeasuring();
  await pause(1000);
  return { report, latency, ...(await stopWatching()), open: (await service.sockets()).open - 1 };
};

const checkAttack = (transport: TransportName, { name, limitSecs }: Attack, result: AttackResult): void => {
  const { report, accepted, maxOpen, longestMs, open, latency } = result;
  const check = (holds: boolean, text: string): void => gate(holds, `${transport}, ${name}: ${text}`);
  const { checks, unavailable } = report;
  check(
    accepted >= connections * 0.9,
    `the attack had ${accepted} connections, at most ${maxOpen} concurrent`,
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
    `all connections were closed in time and their streams ended: ${open} connections, ${streams} streams open`,
  );
};

const rows: (string | number)[][] = [];
printTitle(
  `slowhttptest with ${connections} connections, and half of 1,000 clients that never read; default limits`,
);
const installed = hasSlowhttptest();
if (!installed) console.log("skipped: the four attacks, because slowhttptest is not installed\n");
for (const transport of transports) {
  if (selectedTransport !== undefined && selectedTransport !== transport) continue;
  for (const each of installed ? attacks : []) {
    await using service = await startService(transport);
    const result = await runAttack(service, each);
    const { accepted, maxOpen, longestMs, latency } = result;
    rows.push([
      `${transport}, ${each.name}`,
      accepted,
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
