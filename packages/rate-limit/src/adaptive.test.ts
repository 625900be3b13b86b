import type { ConfigInput } from "@framework/core/feature";
import { HttpError } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { cluster, limitedApp, quiet, structuredList, timedState } from "./limited-app.test-kit.ts";
import { LoadSignals } from "./load-signals.ts";
import { machine } from "./machine.test-kit.ts";
import { RateLimitConfig } from "./rate-limit-config.ts";

/** Creates an app with an adaptive limit under the given load. By default `minSamples` is 1. */
const adaptiveApp = async (input: ConfigInput<RateLimitConfig> = {}, max = 100) => {
  const given = { minSamples: 1, ...input };
  const { load, time, ticks, probes } = machine();
  const state = timedState();
  const { latencyMs: _latency, errorShare: _errors, ...rest } = probes;
  const app = limitedApp(
    RateLimitConfig.adaptive(max, 60, { probes: given.probes === undefined ? rest : given.probes, ...given }),
  );
  app.get("/slow", () => {
    time.now += 150;
    return "slow";
  });
  app.get("/fails", () => {
    throw new Error("failed");
  });
  const running = Promise.withResolvers<void>();
  app.get("/waits", async ({ signal }) => {
    const disconnected = new Promise((resolve) => signal.addEventListener("abort", resolve));
    running.resolve();
    await disconnected;
    throw new Error("the client has disconnected");
  });
  app.get("/cached-only", () => {
    throw new HttpError(504, "nothing stored");
  });
  app.post("/upload", async (request) => {
    const { length } = await request.text();
    time.now += 20;
    return length;
  });
  await app.start({ ...quiet, shared: state.shared });
  const client = testClient(app);
  const second = async (): Promise<void> => {
    time.now += 1000;
    state.time.now += 1000;
    for (const tick of ticks) tick();
    await new Promise(setImmediate);
  };
  const limit = () => (app.metrics()["rate_limit_max_requests"] as { value: number }[])[0]?.value;
  return { app, client, load, time, running: running.promise, second, limit, ticks };
};

/** A body whose client sends one letter every 5 s while the app is idle. */
const slowBody = (text: string, time: { now: number }): ReadableStream<Uint8Array> => {
  const letters = text.split("");
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    await new Promise(setImmediate);
    time.now += 5000;
    const letter = letters.shift();
    if (letter === undefined) controller.close();
    else controller.enqueue(new TextEncoder().encode(letter));
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
};

test.each([
  ["cpu", 0.81, 0.8, "cpuThreshold"],
  ["memory", 0.91, 0.9, "memoryThreshold"],
  ["latencyMs", 101, 100, "latencyThresholdMs"],
  ["errorShare", 0.11, 0.1, "errorThreshold"],
] as const)(
  "one second with %s %d cuts the limit by 10 %%, one with %d does not",
  async (signal, over, at, field) => {
    const { load, probes, ticks } = machine();
    const cut = async (value: number, given: ConfigInput<RateLimitConfig> = {}) => {
      const app = limitedApp(RateLimitConfig.adaptive(100, 60, { probes, ...given }));
      await app.start(quiet);
      load[signal] = value;
      for (const tick of ticks.splice(0)) tick();
      await new Promise(setImmediate);
      return (app.metrics()["rate_limit_max_requests"] as { value: number }[])[0]?.value;
    };
    expect([await cut(over), await cut(at)]).toEqual([90, 100]);
    expect(await cut(over, { [field]: over })).toBe(100);
  },
);

test("latency and the share of 5xx replies are measured from the requests", async () => {
  const slow = await adaptiveApp();
  await slow.client.get("/slow");
  await slow.second();
  expect(slow.limit()).toBe(90);
  await slow.second();
  expect(slow.limit()).toBe(90); // a second without requests is not slow
  const failing = await adaptiveApp();
  for (const path of ["/fails", "/", "/"]) await failing.client.get(path);
  await failing.second();
  expect(failing.limit()).toBe(90);
  for (let call = 0; call < 20; call++) await failing.client.get("/nowhere");
  await failing.second();
  expect(failing.limit()).toBe(91); // 1 of 23 in ten seconds, and half of the limit was used
});

test("a 5xx reply counts for ten seconds", async () => {
  const { client, second, limit } = await adaptiveApp();
  await client.get("/fails");
  const seen = [];
  for (let seconds = 0; seconds < 12; seconds++) {
    await second();
    seen.push(limit());
  }
  expect(seen.slice(0, 3)).toEqual([90, 81, 72]);
  expect(seen[9]).toBe(34);
  expect(seen.slice(9)).toEqual([34, 34, 34]);
});

test("fewer requests than minSamples, 20 by default, are not an overload", async () => {
  const few = await adaptiveApp({ minSamples: RateLimitConfig.of().minSamples });
  for (let call = 0; call < 19; call++) await few.client.get(call % 2 === 0 ? "/slow" : "/fails");
  await few.second();
  expect(few.limit()).toBe(100);
  await few.client.get("/slow");
  await few.second();
  expect(few.limit()).toBe(90);
  const { latencyMs, errorShare } = new LoadSignals(20).endSecond();
  expect([latencyMs, errorShare]).toEqual([0, 0]);
});

test("latency is the mean of the last second, extended by earlier seconds until there are minSamples requests", () => {
  const signals = new LoadSignals(3);
  const second = (...latencies: number[]): number => {
    for (const latencyMs of latencies) signals.recordOutcome(latencyMs, false);
    return signals.endSecond().latencyMs;
  };
  expect([second(500, 500, 500), second(20), second(20), second(20), second()]).toEqual([
    500, 380, 308, 20, 0,
  ]);
  expect(second(60, 60, 60)).toBe(60);
});

test("the wait for a slow upload does not count as latency", async () => {
  const { client, second, limit, time } = await adaptiveApp({ latencyThresholdMs: 30 });
  const reply = await client.post("/upload", { body: slowBody("four", time) });
  expect([reply.status, reply.text]).toEqual([200, "4"]);
  expect(time.now).toBeGreaterThan(20_000);
  await second();
  expect(limit()).toBe(100);
  await client.get("/slow");
  await second();
  expect(limit()).toBe(90);
});

test("5xx replies that a client can cause by itself are not failures: unknown method, only-if-cached", async () => {
  const { client, second, limit } = await adaptiveApp();
  expect((await client.request("BREW", "/")).status).toBe(501);
  const onlyCached = { headers: { "cache-control": "max-age=0, only-if-cached" } };
  expect((await client.get("/cached-only", onlyCached)).status).toBe(504);
  await second();
  expect(limit()).toBe(100);
  expect((await client.get("/cached-only")).status).toBe(504);
  await second();
  expect(limit()).toBe(90);
});

test("the failure of a request whose client has disconnected does not count", async () => {
  const { app, running, second, limit } = await adaptiveApp();
  const leaving = new AbortController();
  const request = new Request("http://localhost/waits", { signal: leaving.signal });
  const reply = app.fetch(request).catch(() => null);
  await running;
  leaving.abort();
  await reply;
  for (let seconds = 0; seconds < 3; seconds++) await second();
  expect(limit()).toBe(100);
});

test("the limit stays between minRequests and maxRequests, and rises only if half of it is used", async () => {
  const { load, client, second, limit } = await adaptiveApp({ minRequests: 40 });
  load.cpu = 1;
  for (let seconds = 0; seconds < 30; seconds++) await second();
  expect(limit()).toBe(40);
  load.cpu = 0;
  await second();
  expect(limit()).toBe(40);
  await client.get("/");
  await second();
  expect(limit()).toBe(41);
  for (let seconds = 0; seconds < 80; seconds++) {
    await client.get("/");
    await second();
  }
  expect(limit()).toBe(100);
});

test("minRequests is 10 by default, and never above maxRequests", async () => {
  for (const [max, floor] of [
    [100, 10],
    [5, 5],
  ] as const) {
    const { load, second, limit } = await adaptiveApp({}, max);
    load.cpu = 1;
    for (let seconds = 0; seconds < 40; seconds++) await second();
    expect(limit()).toBe(floor);
  }
});

test("replies state the current limit, and requests above it are denied", async () => {
  const { load, client, second } = await adaptiveApp({ minRequests: 2 }, 10);
  load.cpu = 1;
  for (let seconds = 0; seconds < 20; seconds++) await second();
  const replies = [];
  for (let call = 0; call < 3; call++) replies.push(await client.get("/"));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
  const [first] = replies;
  expect(first?.headers.get("x-ratelimit-limit")).toBe("2");
  expect(structuredList(first?.headers.get("ratelimit-policy") ?? "")).toEqual([
    { name: "default", parameters: { q: 2, w: 60 } },
  ]);
});

test("a route can have an adaptive limit when the app's is fixed", async () => {
  const { load, ticks, probes } = machine();
  const app = limitedApp({ probes });
  app.get("/own", { rateLimit: { algorithm: "adaptive", maxRequests: 50 } }, () => "own");
  await app.start(quiet);
  load.cpu = 1;
  for (const tick of ticks) tick();
  await new Promise(setImmediate);
  const limits = app.metrics()["rate_limit_max_requests"] as { value: number }[];
  expect(limits.map(({ value }) => value)).toEqual([100, 45]);
});

test("a stopped app no longer adjusts the limit", async () => {
  const { app, ticks } = await adaptiveApp();
  expect(ticks).toHaveLength(1);
  await app.stop();
  expect(ticks).toHaveLength(0);
});

test("one overloaded worker cuts the limit of every worker, once a second, and a worker that starts later adopts it", async () => {
  const { clock, join } = cluster();
  const workers = Array.from({ length: 3 }, () => {
    const { load, ticks, probes } = machine();
    const limit = new AdaptiveLimit(
      RateLimitConfig.of(RateLimitConfig.adaptive(100, 60, { probes })),
      "default",
    );
    const tick = () => {
      for (const run of ticks) run();
    };
    return { load, tick, limit, shared: join().shared };
  });
  const fail = (error: unknown) => {
    throw error;
  };
  const [first, second, late] = workers;
  for (const worker of [first, second]) await worker?.limit.start(worker.shared.values, fail);
  if (second !== undefined) second.load.cpu = 1;
  const seen = [];
  for (let seconds = 0; seconds < 4; seconds++) {
    second?.tick();
    await clock.advance(500);
    first?.tick();
    await clock.advance(500);
    seen.push([first?.limit.capacity, second?.limit.capacity]);
  }
  expect(seen).toEqual([
    [90, 90],
    [81, 81],
    [72, 72],
    [65, 65],
  ]);
  await late?.limit.start(late.shared.values, fail);
  expect(late?.limit.capacity).toBe(65);
  if (second !== undefined) second.load.cpu = 0;
  for (const worker of [first, second]) worker?.limit.signals.recordAdmission();
  second?.tick();
  await clock.advance(1000);
  expect(workers.map(({ limit }) => limit.capacity)).toEqual([66, 66, 66]);
});

test("after a drop and a rise of capacity the admitted load settles within 20 % of the capacity", async () => {
  const { load, ticks, probes } = machine();
  const limit = new AdaptiveLimit(
    RateLimitConfig.of(RateLimitConfig.adaptive(1000, 1, { probes })),
    "default",
  );
  const { time, shared } = timedState();
  await limit.start(shared.values, () => {});
  const settle = async (maxLoad: number): Promise<number[]> => {
    const seen = [];
    for (let second = 0; second < 150; second++) {
      for (let request = 0; request < limit.capacity; request++) limit.signals.recordAdmission();
      load.cpu = limit.capacity > maxLoad ? 1 : 0.5;
      time.now += 1000;
      for (const tick of ticks) tick();
      await new Promise(setImmediate);
      if (second >= 100) seen.push(limit.capacity);
    }
    return seen;
  };
  for (const maxLoad of [800, 400, 800]) {
    const seen = await settle(maxLoad);
    expect(Math.min(...seen)).toBeGreaterThan(0.8 * maxLoad);
    expect(Math.max(...seen)).toBeLessThan(1.2 * maxLoad);
  }
});
