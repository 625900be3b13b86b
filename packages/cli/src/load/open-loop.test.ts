import { expect, test } from "@jest/globals";
import { virtualClock, type VirtualClock } from "@framework/core/testing";
import { type RequestOutcome, runStage } from "./open-loop.ts";

/** Creates a service that replies after `latencyMs`, and stalls from `stall.from` for `stall.forMs`. */
const service = (clock: VirtualClock, { latencyMs = 2, stall = { from: Infinity, forMs: 0 } } = {}) => {
  const send = (): Promise<RequestOutcome> =>
    new Promise((resolve) => {
      const now = clock.now();
      const isStalled = now >= stall.from && now < stall.from + stall.forMs;
      const wait = isStalled ? stall.from + stall.forMs - now + latencyMs : latencyMs;
      clock.after(wait, () => resolve(200));
    });
  return send;
};

const measure = async (
  clock: VirtualClock,
  send: () => Promise<RequestOutcome>,
  rate: number,
  seconds: number,
  maxPending?: number,
) => {
  const stage = runStage({
    send,
    ratePerSec: rate,
    seconds,
    clock,
    ...(maxPending !== undefined && { maxPending }),
  });
  for (let ms = 0; ms < (seconds + 6) * 1000; ms++) await clock.advance(1);
  return stage;
};

test("a constant latency is measured exactly", async () => {
  const clock = virtualClock();
  const stage = await measure(clock, service(clock), 100, 2);
  expect(stage).toMatchObject({ offered: 100, requests: 200, failures: 0, p50Ms: 2, p99Ms: 2 });
  expect(stage.answered).toBeGreaterThanOrEqual(99);
});

test("a stall counts for every request that was due during it", async () => {
  const clock = virtualClock();
  const from = clock.now() + 500;
  const stage = await measure(clock, service(clock, { stall: { from, forMs: 1000 } }), 100, 2);
  expect(stage.requests).toBe(200);
  expect(stage.maxMs).toBeGreaterThanOrEqual(1000);
  expect(stage.p50Ms).toBeGreaterThan(2); // half of the requests were due during the stall
  expect(stage.p99Ms).toBeGreaterThan(900);
});

test("requests above maxPending wait, and their wait is measured", async () => {
  const clock = virtualClock();
  const stage = await measure(clock, service(clock, { latencyMs: 100 }), 100, 1, 1);
  expect(stage.answered).toBeLessThanOrEqual(10);
  expect(stage.maxMs).toBeGreaterThan(4000);
});

test("statuses of 500, network errors and missing replies are failures", async () => {
  const clock = virtualClock();
  let sent = 0;
  const outcomes: readonly RequestOutcome[] = [200, 404, 500, "ECONNRESET"];
  const stage = await measure(clock, async () => outcomes[sent++ % 4] ?? 0, 8, 1);
  expect(stage).toMatchObject({ requests: 8, failures: 4 });
  const silent = await measure(clock, () => new Promise<never>(() => {}), 5, 1);
  expect(silent).toMatchObject({ requests: 5, failures: 5, answered: 0 });
});

test("a stage that has ended sends no further requests when a late reply arrives", async () => {
  const clock = virtualClock();
  let sent = 0;
  const late: ((outcome: RequestOutcome) => void)[] = [];
  const send = () => new Promise<RequestOutcome>((resolve) => (sent++, late.push(resolve)));
  const stage = await measure(clock, send, 10, 1, 2);
  expect(stage).toMatchObject({ requests: 10, failures: 10 });
  for (const resolve of late.splice(0)) resolve(200);
  await clock.advance(100);
  expect(sent).toBe(2);
});

test("the latency of a missing reply is measured from the time at which that request was due", async () => {
  const clock = virtualClock();
  let sent = 0;
  const send = () => (sent++ === 0 ? new Promise<never>(() => {}) : Promise.resolve(200));
  const stage = await measure(clock, send, 10, 1);
  expect(stage).toMatchObject({ requests: 10, failures: 1, maxMs: 6000 });
});
