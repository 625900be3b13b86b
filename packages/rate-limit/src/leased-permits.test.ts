import type { SharedState } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import type { Limit } from "./limit.ts";
import type { Quota } from "./quota.ts";
import { type Service, service } from "./service.test-kit.ts";

const free = (state: SharedState, limit: Limit) => state.permits.take("client", limit.rule, { spend: 0 });

test("most requests are decided synchronously, without a call to the store", async () => {
  const { running, limit, sendAll, calls, send } = service(100_000, 3600);
  await sendAll(0, 2);
  const decided = running[0]?.permits.take(limit, "client");
  expect(decided).toMatchObject({ allowed: true });
  await sendAll(0, 5000);
  expect(calls()).toBeLessThan(5002 / 200);
  await send(1, "second client");
  expect(await running[1]?.permits.take(limit, "second client")).toMatchObject({ allowed: true });
});

test("the first request of a key leases nothing, and a lease is at most remaining / (4 x workers)", async () => {
  const { send, state, limit } = service(160, 3600);
  await send(0);
  expect(await free(state, limit)).toMatchObject({ free: 159, elsewhere: 0 });
  await send(0);
  expect(await free(state, limit)).toMatchObject({ free: 159 - Math.floor(159 / 16), elsewhere: 8 });
});

test("leases of idle workers are recalled before the first denial, so that the limit is admitted exactly", async () => {
  const { sendAll, outcomes } = service(500, 3600);
  for (const worker of [0, 1, 2, 3]) await sendAll(worker, 3);
  expect(await sendAll(3, 600)).toBe(488);
  expect(outcomes.filter((quota) => quota?.allowed === false)).toHaveLength(112);
});

test("a denial is cached: denied requests cost no calls until a permit can be free", async () => {
  const { clock, send, sendAll, calls } = service(10, 100, { algorithm: "token_bucket" });
  await sendAll(0, 11);
  const before = calls();
  await clock.advance(1);
  expect(await sendAll(0, 50)).toBe(0);
  expect(calls()).toBe(before);
  expect(await send(0)).toMatchObject({ allowed: false, remaining: 0, waitMs: 9999 });
  await clock.advance(9999);
  expect(await sendAll(0, 2)).toBe(1);
});

test("an idle worker returns its lease in the first half of its duration, and keeps no timer", async () => {
  const { clock, sendAll, state, limit } = service(1000, 3600);
  await sendAll(0, 2);
  expect(await free(state, limit)).toMatchObject({ free: 937, elsewhere: 61 });
  await clock.advance(3000);
  expect(await free(state, limit)).toMatchObject({ free: 998, elsewhere: 0 });
  expect(clock.pending).toBe(0);
});

test("a worker that stops returns its lease", async () => {
  const { sendAll, state, limit, running } = service(1000, 3600);
  await sendAll(0, 2);
  await running[0]?.permits.stop();
  expect(await free(state, limit)).toMatchObject({ free: 998, elsewhere: 0 });
});

/** Gives a worker the leases of 2,500 clients. Returns a function that counts the leases in the store. */
const manyLeases = async ({ running, limit, state }: Service): Promise<() => Promise<number>> => {
  const keys = Array.from({ length: 2500 }, (_, at) => `client ${at}`);
  for (const key of keys) for (let count = 0; count < 2; count++) await running[0]?.permits.take(limit, key);
  return async () => {
    let open = 0;
    for (const key of keys)
      if ((await state.permits.take(key, limit.rule, { spend: 0 })).elsewhere > 0) open++;
    return open;
  };
};

test("a worker that stops returns all of its leases, however many", async () => {
  const limited = service(1000, 3600, { maxKeys: 10_000 });
  const leases = await manyLeases(limited);
  expect(await leases()).toBe(2500);
  await limited.running[0]?.permits.stop();
  expect(await leases()).toBe(0);
  expect(limited.clock.pending).toBe(0);
});

test("a worker whose stop has passed its deadline returns no further leases", async () => {
  const stop = new AbortController();
  let returns = 0;
  const wrap = (state: SharedState): SharedState => ({
    ...state,
    permits: {
      take(key, rule, request) {
        if (request.spend === 0 && ++returns === 1500) stop.abort();
        return state.permits.take(key, rule, request);
      },
    },
  });
  const limited = service(1000, 3600, { maxKeys: 10_000, wrap });
  const leases = await manyLeases(limited);
  await limited.running[0]?.permits.stop(stop.signal);
  expect(await leases()).toBe(500);
});

test("the lease of a dead worker counts as used until one window after its exit", async () => {
  const { clock, sendAll, replace, admitted } = service(1000, 60);
  await sendAll(0, 2);
  await clock.advance(500);
  replace(0);
  expect(await sendAll(1, 1200)).toBe(1000 - 2 - 61);
  await clock.advance(59_999);
  await sendAll(1, 1200);
  expect(admitted.length).toBe(1000 - 61 + 2);
  await clock.advance(1);
  await sendAll(2, 1200);
  expect(admitted.length).toBe(1000 - 61 + 1000);
});

const quotas = (outcomes: readonly (Quota | null)[]) => outcomes.map((quota) => quota?.allowed ?? null);

test("a stalled remote store times out, and its late result admits no request", async () => {
  let held: (() => void)[] | null = [];
  const wrap = (state: SharedState): SharedState => ({
    ...state,
    permits: {
      take: async (...call) => {
        if (held !== null) await new Promise<void>((resolve) => held?.push(resolve));
        return state.permits.take(...call);
      },
    },
  });
  const { clock, send, outcomes, errors, sendAll } = service(10, 3600, { wrap, workers: 1, timeoutMs: 50 });
  const pending = Promise.all([send(0), send(0)]);
  await clock.advance(49);
  expect(outcomes).toEqual([]);
  await clock.advance(2);
  expect([quotas(outcomes), errors.length]).toEqual([[null, null], 2]);
  await pending;
  for (const answer of held.splice(0)) answer();
  held = null;
  await clock.advance(0);
  expect(await sendAll(0, 12)).toBe(9); // the first call's permit was spent on the timed-out request
});

test("a call to the store that fails after its request has timed out counts once", async () => {
  const call = Promise.withResolvers<never>();
  const wrap = (state: SharedState): SharedState => ({ ...state, permits: { take: () => call.promise } });
  const { clock, send, errors } = service(10, 3600, { wrap, workers: 1, timeoutMs: 50 });
  const pending = send(0);
  await clock.advance(51);
  await pending;
  call.reject(new Error("gone"));
  await clock.advance(0);
  expect(errors.map(String)).toEqual(["Error: the store did not answer within 50 ms"]);
});

test("a failing store leaves requests undecided, and no state is kept", async () => {
  let isBroken = true;
  const wrap = (state: SharedState): SharedState => ({
    ...state,
    permits: {
      take: (...call) => (isBroken ? Promise.reject(new Error("gone")) : state.permits.take(...call)),
    },
  });
  const { send, outcomes, errors, sendAll } = service(10, 3600, { wrap });
  await Promise.all([send(0), send(0), send(1)]);
  expect([quotas(outcomes), errors.length]).toEqual([[null, null, null], 2]);
  isBroken = false;
  expect(await sendAll(0, 12)).toBe(10);
});

/** Drops recalls on worker 0, as if its event loop were blocked. */
const withoutRecalls = (state: SharedState, worker: number): SharedState =>
  worker === 0 ? { ...state, values: { ...state.values, subscribe: () => () => {} } } : state;

test.each([
  [50, 26, 1000 - 2 - 61],
  [null, 5001, 1000 - 2], // by then it has returned the idle lease
])(
  "with a store timeout of %p ms a worker that answers no recall delays a denial by at most %p ms",
  async (timeoutMs, delayMs, admitted) => {
    const wrap = (state: SharedState, worker: number): SharedState => {
      const { values } = withoutRecalls(state, worker);
      const never = new Promise<boolean>(() => {});
      const publish: typeof values.publish = (channel, message, { waitMs = 0 } = {}) => {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        clock.after(waitMs, () => resolve(false));
        void state.values.publish(channel, message);
        return Promise.race([never, promise]);
      };
      return { ...state, values: { ...values, publish } };
    };
    const { clock, sendAll, outcomes } = service(1000, 3600, { wrap, timeoutMs });
    await sendAll(0, 2);
    const pending = sendAll(1, 1200);
    await clock.advance(delayMs);
    expect(await pending).toBe(admitted);
    expect(outcomes).not.toContain(null);
  },
);

test("a worker keeps state for at most maxKeys keys", async () => {
  const { send, running } = service(1000, 3600, { maxKeys: 3 });
  for (const key of ["a", "b", "c", "a", "d", "e"]) await send(0, key);
  expect(running[0]?.permits.keys).toBe(3);
  for (let key = 0; key < 1000; key++) await send(0, `${key}`);
  expect(running[0]?.permits.keys).toBe(3);
});

test("evictions of a key with a lease never admit more than the limit", async () => {
  const { sendAll, send, admitted } = service(200, 3600, { maxKeys: 1 });
  for (let round = 0; round < 30; round++) {
    await sendAll(0, 12);
    await send(0, "other");
  }
  expect(admitted.length - 30).toBeLessThanOrEqual(200);
});

test("the leases of 2,500 idle clients are returned within 4.5 s, with one call each", async () => {
  const limited = service(1000, 3600, { maxKeys: 10_000 });
  const { clock, calls } = limited;
  const leases = await manyLeases(limited);
  await clock.advance(4500);
  expect(await leases()).toBe(0);
  expect(clock.pending).toBe(0);
  expect(calls()).toBeLessThanOrEqual(5000 + 2500);
});
