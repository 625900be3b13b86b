/**
 * Verifies that slow clients do not deny service to others, under the default limits, on both transports: slowhttptest's four attacks, and
 * half of a thousand clients that never read their replies.
 *
 *   pnpm bench:slow [connections of an attack] [transport]
 */
import { setTimeout as pause } from "node:timers/promises";
import { inWords, type Latency, measureLatency } from "../idle/latency.ts";
import { gate, printTable, printTitle } from "../measure/report.ts";
import { type Service, startService, type TransportName, transports } from "../soak/service-report.ts";
import { attack, hasSlowhttptest, type Verdict } from "./attack.ts";
import { neverReading, type NeverRead } from "./never-reading.ts";

const connections = Number(process.argv[2] ?? 600);
const wanted = process.argv[3];

/** What an attack may cost, in seconds: the limit that ends its connections, and two more for the sweep. */
const GRACE_SECS = 2;

interface Attack {
  readonly name: string;
  readonly path: string;
  readonly limitSecs: number;
  readonly options: readonly string[];
}

const paced = ["-c", String(connections), "-r", "200", "-p", "3"] as const;

const attacks: readonly Attack[] = [
  {
    name: "slow heads (-H)",
    path: "/books",
    limitSecs: 5,
    options: ["-H", ...paced, "-i", "1", "-l", "15", "-x", "8"],
  },
  {
    name: "slow bodies (-B)",
    path: "/upload",
    limitSecs: 30,
    options: ["-B", ...paced, "-i", "2", "-l", "42", "-s", "9000", "-x", "16"],
  },
  {
    name: "ranges (-R)",
    path: "/large/1",
    limitSecs: 75,
    options: ["-R", ...paced, "-l", "10", "-a", "5", "-b", "3000", "-t", "HEAD"],
  },
  {
    name: "slow reading (-X)",
    path: "/large/32",
    limitSecs: 30,
    options: ["-X", ...paced, "-l", "45", "-w", "512", "-y", "1024", "-n", "5", "-z", "32", "-k", "3"],
  },
];

/** What was seen of the service's connections, the others' and the asking one included. */
interface Watched {
  readonly accepted: number;
  readonly most: number;
  readonly longestMs: number;
}

interface Attacked extends Watched {
  readonly verdict: Verdict;
  readonly left: number;
  readonly latency: Latency;
}

/** Samples the service's connections until stopped. */
const watch = (service: Service): (() => Promise<Watched>) => {
  let [ends, accepted, most, longestMs] = [false, 0, 0, 0];
  const watching = (async () => {
    while (!ends) {
      const now = await service.sockets();
      accepted += now.accepted;
      [most, longestMs] = [Math.max(most, now.open), Math.max(longestMs, now.longestMs)];
      await pause(250);
    }
  })();
  return async () => {
    ends = true;
    await watching;
    return { accepted, most, longestMs };
  };
};

const suffer = async (service: Service, { path, options }: Attack): Promise<Attacked> => {
  await service.sockets(); // forgets the lives of connections before
  const seen = watch(service);
  const measured = measureLatency(service.port, 4, 50);
  const verdict = await attack(`http://127.0.0.1:${service.port}${path}`, options);
  const latency = await measured();
  await pause(1000);
  return { verdict, latency, ...(await seen()), left: (await service.sockets()).open - 1 };
};

const judge = (transport: TransportName, { name, limitSecs }: Attack, suffered: Attacked): void => {
  const { verdict, accepted, most, longestMs, left, latency } = suffered;
  const say = (holds: boolean, text: string): void => gate(holds, `${transport}, ${name}: ${text}`);
  const { looks, unavailable } = verdict;
  say(accepted >= connections * 0.9, `the attack had ${accepted} connections, ${most} at a time`);
  say(
    looks > 0 && unavailable === 0,
    `available at ${looks - unavailable} of ${looks} looks; ${verdict.exit}`,
  );
  say(latency.failed === 0, `others were served: ${latency.failed} of ${latency.requests} requests failed`);
  say(
    longestMs <= (limitSecs + GRACE_SECS) * 1000,
    `no connection lived longer than ${limitSecs} + ${GRACE_SECS} s: ${(longestMs / 1000).toFixed(1)} s`,
  );
  say(left === 0, `no connection is left: ${left}`);
};

const judgeNeverRead = (transport: TransportName, found: NeverRead): void => {
  const say = (holds: boolean, text: string): void => gate(holds, `${transport}, half never read: ${text}`);
  const { alone, beside, residentBytes, stuck, handlers, streams, left } = found;
  const ratio = beside.median / alone.median;
  say(stuck === found.clients, `${stuck} of ${found.clients} clients stuck in their replies`);
  say(
    alone.failed + beside.failed === 0,
    `others were served: ${alone.requests + beside.requests} requests, ${alone.failed + beside.failed} failed`,
  );
  say(
    ratio <= 1.5 || beside.median - alone.median < 1,
    `others waited ${ratio.toFixed(2)} times as long in the median (${beside.median.toFixed(2)} for ${alone.median.toFixed(2)} ms), at most 1.5 or 1 ms more`,
  );
  const each = residentBytes / found.clients / 1024;
  say(each <= 256, `each took ${each.toFixed(0)} KiB of resident memory, at most 256`);
  say(
    left === 0 && handlers + streams === 0,
    `all were cut in time and their streams ended: ${left} connections, ${streams} streams left`,
  );
};

const rows: (string | number)[][] = [];
printTitle(
  `slowhttptest with ${connections} connections, and half of 1,000 clients that never read; default limits`,
);
const installed = hasSlowhttptest();
if (!installed) console.log("skipped: the four attacks, because slowhttptest is not installed\n");
for (const transport of transports) {
  if (wanted !== undefined && wanted !== transport) continue;
  for (const each of installed ? attacks : []) {
    await using service = await startService(transport);
    const suffered = await suffer(service, each);
    const { accepted, most, longestMs, latency } = suffered;
    rows.push([
      `${transport}, ${each.name}`,
      accepted,
      most,
      (longestMs / 1000).toFixed(1),
      inWords(latency),
    ]);
    judge(transport, each, suffered);
  }
  await using service = await startService(transport);
  const found = await neverReading(service);
  judgeNeverRead(transport, found);
  rows.push([`${transport}, others alone`, 500, 500, "", inWords(found.alone)]);
  rows.push([`${transport}, half never read`, 1000, 1000, "", inWords(found.beside)]);
}
console.log("");
printTable(
  ["What", "connections", "at a time", "longest life, s", "others' wait, ms (median / p99 / longest)"],
  rows,
);
