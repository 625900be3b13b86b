import type { SharedState } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { begin, call, fail } from "./calls.test-kit.ts";
import { service } from "./service.test-kit.ts";

/** Starts two workers, which receive no announcement while `network.dropsMessages` is set. */
const serviceOnNetwork = async () => {
  const network = { dropsMessages: false };
  const wrap = ({ values, ...others }: SharedState): SharedState => ({
    ...others,
    values: {
      ...values,
      subscribe: (channel, listener) =>
        values.subscribe(channel, (message) => (network.dropsMessages ? undefined : listener(message))),
    },
  });
  return { ...(await service({ workers: 2, wrap })), network };
};

test("a worker that missed an announcement adopts the phase at its next trial or decision", async () => {
  const { workers, clock, states, network } = await serviceOnNetwork();
  network.dropsMessages = true;
  await fail(workers[0], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "closed"]);
  await clock.advance(10_000);
  await fail(workers[1], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open"]);
  await clock.advance(30_000);
  for (let time = 0; time < 3; time++) await call(workers[0], "success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "half-open"]);
  expect(await call(workers[1], "success")).toBe("success");
  expect(states()).toEqual(["closed", "closed"]);
});

test("a worker that missed a phase adopts it from the shared state after the successor key has expired", async () => {
  const { workers, clock, states, network } = await serviceOnNetwork();
  network.dropsMessages = true;
  for (const action of ["trip", "reset", "trip"] as const) await workers[0]?.circuits[action]("callee");
  network.dropsMessages = false;
  await clock.advance(200_000);
  await workers[0]?.circuits.trip("callee");
  expect(states()).toEqual(["open", "open"]);
  network.dropsMessages = true;
  await workers[0]?.circuits.reset("callee");
  network.dropsMessages = false;
  await clock.advance(200_000); // the key of epoch 5, the successor of epoch 4, has expired; only the latest phase is still stored
  expect(states()).toEqual(["closed", "half-open"]);
  expect(await call(workers[1], "failure")).toBe("failure");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed"]);
});

test("after the shared phases have expired, a worker replies to an outdated announcement with the current phase", async () => {
  const { workers, clock, states, network } = await serviceOnNetwork();
  network.dropsMessages = true;
  for (const action of ["trip", "reset", "trip", "reset"] as const)
    await workers[0]?.circuits[action]("callee");
  network.dropsMessages = false;
  await clock.advance(8 * 86_400_000);
  await fail(workers[1], 5);
  expect(states()).toEqual(["closed", "open"]);
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed"]);
  await fail(workers[1], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open"]);
});

test("a worker that missed announcements adopts the state when it reconnects", async () => {
  const missedListeners: ((() => void) | undefined)[] = [];
  let isDisconnected = false;
  const wrap = (shared: SharedState): SharedState => ({
    ...shared,
    values: {
      ...shared.values,
      subscribe: (channel, listener, options) => {
        missedListeners.push(options?.onMissed);
        return shared.values.subscribe(channel, (message) =>
          isDisconnected ? undefined : listener(message),
        );
      },
    },
  });
  const { workers, states, clock } = await service({ workers: 2, failureThreshold: 1, wrap });
  isDisconnected = true;
  await call(workers[0], "failure");
  await clock.advance(0);
  expect(states()).toEqual(["open", "closed"]);
  for (const listener of missedListeners) listener?.();
  await clock.advance(0);
  expect(states()).toEqual(["open", "open"]);
});

test("without the shared state each worker uses its own circuits", async () => {
  let isDown = false;
  const unavailable = () => Promise.reject(new Error("gone"));
  const { workers, clock, states } = await service({
    workers: 2,
    wrap: ({ values, permits, totals }) => ({
      values: {
        ...values,
        add: (...args) => (isDown ? unavailable() : values.add(...args)),
        get: (...args) => (isDown ? unavailable() : values.get(...args)),
        set: (...args) => (isDown ? unavailable() : values.set(...args)),
        publish: (...args) => (isDown ? unavailable() : values.publish(...args)),
      },
      permits: { take: (...args) => (isDown ? unavailable() : permits.take(...args)) },
      totals,
    }),
  });
  isDown = true;
  await fail(workers[0], 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "closed"]);
  await clock.advance(30_000);
  const calls = Array.from({ length: 10 }, () => begin(workers[0]));
  await clock.advance(0);
  const trials = calls.filter(({ isAdmitted }) => isAdmitted);
  expect(trials).toHaveLength(3);
  for (const { end } of trials) end("success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed"]);
  isDown = false;
  await fail(workers[1], 5);
  await fail(workers[0], 5);
  await clock.advance(0);
  expect(new Set(states()).size).toBe(1);
});
