import type { SharedState } from "@framework/core/feature";
import { expect, test } from "@jest/globals";
import { begin, call, fail } from "./calls.test-kit.ts";
import { service } from "./service.test-kit.ts";

test("a worker that missed an announcement adopts the phase at its next trial or decision", async () => {
  let dropsMessages = false;
  const wrap: Parameters<typeof service>[0] = {
    workers: 2,
    wrap: ({ values, ...others }) => ({
      ...others,
      values: {
        ...values,
        subscribe: (channel, listener) =>
          values.subscribe(channel, (message) => (dropsMessages ? undefined : listener(message))),
      },
    }),
  };
  const { workers, clock, states } = await service(wrap);
  dropsMessages = true;
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

test("workers reply to an outdated phase with the current one", async () => {
  let dropsMessages = false;
  const { workers, clock, states } = await service({
    workers: 2,
    wrap: ({ values, ...others }) => ({
      ...others,
      values: {
        ...values,
        subscribe: (channel, listener) =>
          values.subscribe(channel, (message) => (dropsMessages ? undefined : listener(message))),
      },
    }),
  });
  dropsMessages = true;
  for (const action of ["trip", "reset", "trip"] as const) await workers[0]?.circuits[action]("callee");
  dropsMessages = false;
  await clock.advance(200_000); // the successor of the first phase has expired by now
  await workers[0]?.circuits.trip("callee");
  expect(states()).toEqual(["open", "open"]);
  dropsMessages = true;
  await workers[0]?.circuits.reset("callee");
  dropsMessages = false;
  await clock.advance(200_000);
  expect(states()).toEqual(["closed", "half-open"]);
  expect(await call(workers[1], "failure")).toBe("failure");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed"]);
});

test("a worker whose phase has expired everywhere adopts the current one", async () => {
  let dropsMessages = true;
  const { workers, clock, states } = await service({
    workers: 2,
    wrap: ({ values, ...others }) => ({
      ...others,
      values: {
        ...values,
        subscribe: (channel, listener) =>
          values.subscribe(channel, (message) => (dropsMessages ? undefined : listener(message))),
      },
    }),
  });
  for (const action of ["trip", "reset", "trip", "reset"] as const)
    await workers[0]?.circuits[action]("callee");
  dropsMessages = false;
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
  const reports: ((() => void) | undefined)[] = [];
  let isDisconnected = false;
  const wrap = (shared: SharedState): SharedState => ({
    ...shared,
    values: {
      ...shared.values,
      subscribe: (channel, listener, options) => {
        reports.push(options?.onMissed);
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
  for (const missed of reports) missed?.();
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
