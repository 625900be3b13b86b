import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { bundledProgram } from "@framework/bundled-sources";
import { requestEveryWorker, type Program, startProgram, waitFor } from "@framework/testing";
import { afterAll, expect, test } from "@jest/globals";
import { type Parsed, parseExposition } from "./exposition-parser.test-kit.ts";

/** Sends a request on a new connection, so that any worker may reply. */
const send = (program: Program, path: string, method = "GET"): Promise<string> =>
  new Promise((resolve, reject) => {
    const clientRequest = request(new URL(path, program.url), { method, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.on("error", reject).on("end", () => {
        if (reply.statusCode === 200) resolve(text);
        else reject(new Error(`${path} got ${reply.statusCode}`));
      });
    });
    clientRequest.on("error", reject).end();
  });

const scrape = async (program: Program): Promise<Parsed> => parseExposition(await send(program, "/metrics"));

const sold = (parsed: Parsed): number =>
  parsed.value("framework_http_request_duration_seconds_count", { path: "/books/{id}" });

const buy = (program: Program, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(program, `/books/${index}`)));

const pidOf = (text: string): number => (JSON.parse(text) as { pid: number }).pid;

/** Returns the process ids of all workers. */
const pidsOf = async (program: Program): Promise<ReadonlySet<number>> =>
  new Set((await requestEveryWorker({ workers: 4, send: () => send(program, "/pid"), pidOf })).map(pidOf));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const folder = mkdtempSync(join(tmpdir(), "metrics-"));
const release = join(folder, "release");
const blocked = join(folder, "blocked");
const programs = new Map<string, Promise<Program>>();

/** Starts the program for a transport and a number of workers once; all tests share it. */
const sharedProgram = (transport: "fast" | "node", workers: number): Promise<Program> => {
  const name = `${transport} ${workers}`;
  const started =
    programs.get(name) ??
    startProgram(bundledProgram(new URL("./scraped.test-program.ts", import.meta.url)), {
      args: ["--workers", String(workers), "--no-logs"],
      env: {
        TRANSPORT: transport,
        FRAMEWORK_ENV: "production",
        RELEASE_FILE: release,
        BLOCKED_FILE: blocked,
      },
      conditions: ["@framework/source"],
      timeoutMs: 60_000,
    });
  programs.set(name, started);
  return started;
};

afterAll(async () => {
  await Promise.all(Array.from(programs.values(), async (program) => (await program).stop()));
  rmSync(folder, { recursive: true });
});

/** Returns every sample of a counter or histogram, which must only grow. */
const growingSamples = (parsed: Parsed): ReadonlyMap<string, number> =>
  new Map(
    [...parsed.families.values()]
      .filter(({ type }) => type === "counter" || type === "histogram")
      .flatMap(({ samples }) =>
        samples.map(({ name, labels, value }) => [JSON.stringify([name, labels]), value]),
      ),
  );

const decreasedSamples = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string[] =>
  [...before].filter(([key, value]) => (after.get(key) ?? -1) < value - 1e-9).map(([key]) => key);

test.each([
  ["fast", 1],
  ["fast", 4],
  ["node", 4],
] as const)("every scrape includes all workers (%s transport, %i workers)", async (transport, workers) => {
  const program = await sharedProgram(transport, workers);
  await buy(program, 60);
  for (let round = 0; round < 5; round++) {
    const parsed = await scrape(program);
    expect(sold(parsed)).toBe(60);
    expect([
      parsed.value("books_sold_total", { genre: "poem" }),
      parsed.value("book_pages_count"),
      parsed.value("framework_http_requests_in_flight"),
      parsed.value("framework_scrape_missing_workers"),
    ]).toEqual([60, workers, 0, 0]);
  }
});

test("counters are exact when idle workers are killed, and never decrease when busy ones are, over 50 scrapes", async () => {
  const program = await sharedProgram("fast", 4);
  let sent = sold(await scrape(program));
  for (let round = 0; round < 3; round++) {
    await buy(program, 40);
    sent += 40;
    await waitFor(async () => sold(await scrape(program)) === sent, { subject: "all requests" });
    const [victim = 0] = await pidsOf(program);
    process.kill(victim, "SIGKILL");
    await waitFor(() => !isAlive(victim), { subject: "the end of the worker" });
    expect(sold(await scrape(program))).toBe(sent);
  }

  let busy = true;
  let answered = sent;
  const load = async () => {
    while (busy) {
      sent++;
      await send(program, "/books/1").then(
        () => answered++,
        () => null, // the worker was killed
      );
      await pause(2); // lets the workers run
    }
  };
  const loads = [load(), load(), load(), load()];
  let last: ReadonlyMap<string, number> = new Map();
  for (let done = 0; done < 50;) {
    const text = await send(program, "/metrics").catch(() => null); // the worker was killed
    if (text === null) continue;
    const parsed = parseExposition(text);
    const now = growingSamples(parsed);
    expect(decreasedSamples(last, now)).toEqual([]);
    expect(sold(parsed)).toBeLessThanOrEqual(sent);
    last = now;
    if (++done % 10 !== 0) continue;
    const [victim = 0] = await waitFor(() => pidsOf(program)); // including the replacement of the last victim
    process.kill(victim, "SIGKILL");
  }
  busy = false;
  await Promise.all(loads);
  const total = sold(await waitFor(() => scrape(program).catch(() => null)));
  expect(total).toBeLessThanOrEqual(sent);
  expect(total).toBeGreaterThan(answered * 0.9); // a killed worker loses at most 100 ms of counts
});

test("a scrape does not wait for a stuck worker, and counts it as missing", async () => {
  const program = await sharedProgram("node", 4);
  const before = sold(await scrape(program));
  await buy(program, 20);
  await waitFor(async () => sold(await scrape(program)) === before + 20);
  let isStuck = true;
  const hanging = send(program, "/hang", "POST").finally(() => (isStuck = false));
  await waitFor(() => existsSync(blocked), { subject: "the worker to block" }); // until then it could accept all connections of the same turn
  const parsed = await waitFor(
    async () => {
      // The stuck worker may receive some of these requests.
      const first = await Promise.any(Array.from({ length: 4 }, () => scrape(program)));
      return first.value("framework_scrape_missing_workers") === 1 && first;
    },
    { subject: "a scrape without one worker", timeoutMs: 60_000 },
  );
  expect([sold(parsed), isStuck]).toEqual([before + 20, true]);
  writeFileSync(release, "");
  await hanging;
  await waitFor(async () => (await scrape(program)).value("framework_scrape_missing_workers") === 0);
});
