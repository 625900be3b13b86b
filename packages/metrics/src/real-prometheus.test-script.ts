/**
 * Lets a real Prometheus scrape a program with four workers while workers are killed, and reports the results.
 *
 *     node --conditions=@framework/source src/real-prometheus.test-script.ts [seconds]
 *
 * Needs `prometheus` and `promtool` on PATH (Debian: `apt install prometheus`). Exits with 1 when a check fails.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type Program, startProgram, waitFor } from "@framework/testing";

/** Label with the name of a series. */
const NAME_LABEL = ["", "", "name", "", ""].join("_"); // as one literal it would be a placeholder of the package template
const seconds = Number(process.argv[2] ?? 30);
const directory = mkdtempSync(join(tmpdir(), "framework-prometheus-"));

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Starts Prometheus with one target and a scrape interval of 1.5 s: a scrape may wait one second for a stuck worker. */
const startPrometheus = async (target: string): Promise<{ url: string; child: ChildProcess }> => {
  const port = await freePort();
  const config = join(directory, "prometheus.yml");
  writeFileSync(
    config,
    `scrape_configs:
  - job_name: app
    scrape_interval: 1500ms
    scrape_timeout: 1500ms
    static_configs: [{ targets: ["${new URL(target).host}"] }]
`,
  );
  const log = openSync(join(directory, "log"), "w");
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn("prometheus", args, { stdio: ["ignore", log, log] });
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(`${url}/-/ready`)).ok, { subject: "Prometheus", timeoutMs: 20_000 });
  return { url, child };
};

interface Result {
  readonly value?: readonly [time: number, value: string];
  readonly values?: readonly (readonly [time: number, value: string])[];
}

const query = async (prometheus: string, expression: string): Promise<readonly Result[]> => {
  const reply = await fetch(
    `${prometheus}/api/v1/query?${new URLSearchParams({ query: expression }).toString()}`,
  );
  const { data, error } = (await reply.json()) as { data?: { result: readonly Result[] }; error?: string };
  if (data === undefined) throw new Error(`${expression}: ${error}`);
  return data.result;
};

/** Returns the single number of a query. */
const queryNumber = async (prometheus: string, expression: string): Promise<number> =>
  Number((await query(prometheus, expression))[0]?.value?.[1] ?? Number.NaN);

/** Counts decreases in the stored samples of all series that must only grow. */
const decreases = async (
  prometheus: string,
  range: string,
): Promise<{ series: number; samples: number; decreases: number }> => {
  const results = await query(prometheus, `{${NAME_LABEL}=~".+_(total|bucket|count|sum)"}[${range}]`);
  const lists = results.map(({ values = [] }) => values.map(([, value]) => Number(value)));
  const back = lists.flatMap((list) =>
    list.filter((value, index) => value < (list[index - 1] ?? value) - 1e-9),
  );
  return { series: lists.length, samples: lists.flat().length, decreases: back.length };
};

interface Load {
  sent: number;
  answered: number;
  stop(): Promise<void>;
}

const startLoad = (program: Program): Load => {
  let isRunning = true;
  const load: Load = { sent: 0, answered: 0, stop: () => Promise.resolve() };
  const send = async (): Promise<void> => {
    while (isRunning) {
      load.sent++;
      const path = `/books/${load.sent % 1000}`;
      await fetch(`${program.url}${path}`, { headers: { connection: "close" } }).then(
        async (reply) => {
          await reply.arrayBuffer();
          load.answered++;
        },
        () => null, // its worker was killed
      );
    }
  };
  const all = Promise.all([send(), send(), send(), send()]);
  load.stop = async () => {
    isRunning = false;
    await all;
  };
  return load;
};

/** Returns the error of the last scrape; empty if it succeeded. */
const lastError = async (prometheus: string): Promise<string> => {
  const reply = await fetch(`${prometheus}/api/v1/targets`);
  const { data } = (await reply.json()) as { data: { activeTargets: { lastError: string }[] } };
  return data.activeTargets[0]?.lastError ?? "";
};

const killOne = async (program: Program): Promise<boolean> => {
  const reply = await fetch(`${program.url}/pid`, { headers: { connection: "close" } }).catch(() => null);
  if (reply === null) return false;
  const { pid } = (await reply.json()) as { pid: number };
  process.kill(pid, "SIGKILL");
  return true;
};

const promtool = async (program: Program): Promise<{ status: number | null; output: string }> => {
  const input = await (await fetch(`${program.url}/metrics`)).text();
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}`.trim() };
};

const runChecks = async (): Promise<boolean> => {
  await using program = await startProgram(new URL("./scraped.test-program.ts", import.meta.url), {
    args: ["--workers", "4"],
    env: { FRAMEWORK_ENV: "production", TRANSPORT: "fast" },
    conditions: ["@framework/source"],
    timeoutMs: 30_000,
  });
  const { url, child } = await startPrometheus(program.url);
  try {
    const load = startLoad(program);
    let kills = 0;
    const errors = new Set<string>();
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if (await killOne(program)) kills++;
      errors.add(await lastError(url));
    }
    await load.stop();
    const counted = () =>
      queryNumber(url, 'sum(framework_http_request_duration_seconds_count{path="/books/{id}"})');
    const loadEnd = performance.now();
    await waitFor(async () => performance.now() - loadEnd > 3000 && (await counted()) > 0, {
      subject: "the last scrape",
      timeoutMs: 10_000,
    });
    const range = `${seconds + 60}s`;
    const report = {
      prometheus: (spawnSync("prometheus", ["--version"], { encoding: "utf8" }).stdout || "").split("\n")[0],
      seconds,
      kills,
      scrapes: await queryNumber(url, `count_over_time(up[${range}])`),
      scrapesUp: await queryNumber(url, `sum_over_time(up[${range}])`),
      scrapeErrors: [...errors].filter((error) => error !== ""),
      counters: await decreases(url, range),
      sent: load.sent,
      answered: load.answered,
      counted: await counted(),
      inFlight: await queryNumber(url, "framework_http_requests_in_flight"),
      promtool: await promtool(program),
    };
    console.log(JSON.stringify(report, null, 2));
    const lost = report.answered - report.counted;
    return (
      report.scrapes - report.scrapesUp <= kills / 10 &&
      report.counters.decreases === 0 &&
      report.counted <= report.sent &&
      lost <= report.answered * 0.05 &&
      report.inFlight === 0 &&
      report.promtool.status === 0 &&
      report.promtool.output === ""
    );
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
  }
};

const hasPassed = await runChecks().finally(() => rmSync(directory, { recursive: true, force: true }));
console.log(hasPassed ? "all checks passed" : "a check failed");
process.exitCode = hasPassed ? 0 : 1;
