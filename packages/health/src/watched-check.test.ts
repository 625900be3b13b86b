import { expect, test } from "@jest/globals";
import { probedApp } from "./probed-app.test-kit.ts";

test("a thousand probes of a hung dependency run its check once, and after its first second they do not wait", async () => {
  const { app, probe } = probedApp();
  let running = 0;
  app.healthCheck("hung", () => {
    running++;
    return new Promise<void>(() => {});
  });
  const first = await probe("/health/ready");
  expect([first.status, first.tookMs]).toEqual([503, 1000]);
  const rest = await Promise.all(Array.from({ length: 1000 }, () => probe("/health/ready")));
  expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([503]));
  expect(Math.max(...rest.map(({ tookMs }) => tookMs))).toBe(0);
  expect(running).toBe(1);
});

test("a slow check counts as failed after 1 s until it ends", async () => {
  const { app, clock, probe } = probedApp();
  app.healthCheck("slow", () => clock.sleep(3000));
  const early = await probe("/health");
  expect([early.tookMs, early.body["components"]]).toMatchObject([
    1000,
    { slow: { message: "still running" } },
  ]);
  await clock.advance(1900);
  expect((await probe("/health")).body).toMatchObject({ components: { slow: { message: "still running" } } });
  await clock.advance(100);
  expect(clock.pending).toBe(0);
});

test.each([
  [undefined, 5000, "timed out after 5 s"],
  [0.25, 250, "timed out after 0.25 s"],
  [20, 20_000, "timed out after 20 s"],
])("a run with a timeout of %p s is aborted after %p ms", async (timeoutSecs, ms, message) => {
  const { app, clock, probe } = probedApp();
  const begun = clock.now();
  let aborted: [number, string] | null = null;
  app.healthCheck("hung", { timeoutSecs }, (signal) => {
    signal.addEventListener("abort", () => {
      aborted ??= [clock.now() - begun, (signal.reason as { code: string }).code];
    });
    return new Promise<void>(() => {});
  });
  await probe("/health/ready");
  await clock.advance(ms);
  expect(aborted).toEqual([ms, "HEALTH_CHECK_TIMEOUT"]);
  const { body } = await probe("/health");
  expect(body).toMatchObject({ components: { hung: { status: "unhealthy", message } } });
});

test("a check that never settles is retried with a growing pause, up to a minute", async () => {
  const { app, clock, probe } = probedApp({ timeoutSecs: 5 });
  const begun: number[] = [];
  app.healthCheck("hung", () => {
    begun.push(clock.now() / 1000);
    return new Promise<void>(() => {});
  });
  for (let second = 0; second < 600; second++) {
    await probe("/health/ready");
    await clock.advance(1000);
  }
  const gaps = begun.slice(1).map((at, index) => Math.round(at - (begun[index] ?? 0)));
  expect(gaps.slice(0, 5).map((gap) => Math.round(gap / 5) * 5)).toEqual([10, 15, 25, 45, 65]);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(67);
  expect(begun.length).toBeLessThan(15);
});

test("after a run that ends on abort the next probe runs the check again", async () => {
  const { app, clock, probe } = probedApp({ timeoutSecs: 0.5 });
  let runs = 0;
  app.healthCheck("polite", (signal) => {
    runs++;
    return new Promise<void>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  });
  for (let round = 1; round <= 5; round++) {
    expect((await probe("/health/ready")).status).toBe(503);
    await clock.advance(0);
    expect(runs).toBe(round);
  }
  expect(clock.pending).toBe(0);
});

test("an outcome, good or bad, is reused for cacheSecs", async () => {
  const { app, clock, probe } = probedApp({ cacheSecs: 5 });
  let runs = 0;
  let up = true;
  app.healthCheck("store", () => {
    runs++;
    if (!up) throw new Error("down");
  });
  await probe("/health/ready");
  up = false;
  await clock.advance(4999);
  expect((await probe("/health/ready")).status).toBe(200);
  await clock.advance(1);
  expect((await probe("/health/ready")).status).toBe(503);
  up = true;
  await clock.advance(4999);
  expect((await probe("/health/ready")).status).toBe(503);
  expect(runs).toBe(2);
});

test("without caching every probe runs the check, and concurrent probes share a run", async () => {
  const { app, clock, probe } = probedApp();
  let runs = 0;
  app.healthCheck("store", async () => {
    runs++;
    await clock.sleep(100);
  });
  await probe("/health/ready");
  await probe("/health/ready");
  expect(runs).toBe(2);
  await Promise.all([probe("/health/ready"), probe("/health"), probe("/health/ready")]);
  expect(runs).toBe(3);
});

test("the log reports when a check begins to fail and when it passes again, once each", async () => {
  const { app, probe, logged } = probedApp();
  let up = false;
  app.healthCheck("store", () => {
    if (!up) throw new Error("down");
  });
  await probe("/health/ready");
  await probe("/health/ready");
  up = true;
  await probe("/health/ready");
  await probe("/health/ready");
  expect(logged).toEqual(['health check "store" failed', 'health check "store" passes again']);
});

test("a check fails with any thrown value, even an error whose message is not a string", async () => {
  const strange = [{ code: 7 }, Object.create(null), Symbol("s"), undefined].map((message) =>
    Object.assign(new Error("x"), { message }),
  );
  const throwing = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("no");
    },
  });
  for (const thrown of [...strange, throwing, "text", Object.create(null), null]) {
    const { app, probe } = probedApp();
    app.healthCheck("store", () => Promise.reject(thrown)); // oxlint-disable-line prefer-promise-reject-errors -- any value can be thrown
    expect(await probe("/health/ready")).toMatchObject({ status: 503, tookMs: 0 });
    expect((await probe("/health")).body).toMatchObject({ components: { store: { status: "unhealthy" } } });
  }
});
