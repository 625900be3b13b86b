import { expect, test } from "@jest/globals";
import { begin, call, fail } from "./calls.test-kit.ts";
import { service, type Worker } from "./service.test-kit.ts";

test("a circuit that opens in one worker opens in every worker at once, and all become half-open together", async () => {
  const { workers, clock, states } = await service();
  await fail(workers[0], 4);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
  await fail(workers[0], 1);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  expect(await call(workers[3], "success")).toBeNull();
  await clock.advance(29_999);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  await clock.advance(1);
  expect(states()).toEqual(["half-open", "half-open", "half-open", "half-open"]);
});

test("each worker counts its own failures", async () => {
  const { workers, states } = await service();
  for (const worker of workers) await fail(worker, 4);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
  expect(workers.map(({ circuits }) => circuits.list()[0]?.failures)).toEqual([4, 4, 4, 4]);
});

test("of a thousand concurrent calls across four workers, exactly halfOpenTarget are admitted as trials; their successes close the circuit everywhere", async () => {
  const { workers, clock, states } = await service();
  await fail(workers[0], 5);
  await clock.advance(30_000);
  const calls = Array.from({ length: 1000 }, (_, index) => begin(workers[index % 4]));
  await clock.advance(0);
  const trials = calls.filter(({ isAdmitted }) => isAdmitted);
  expect(trials).toHaveLength(3);
  for (const { end } of trials) end("success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
});

test("one failed trial reopens the circuit everywhere, and pending successes no longer count", async () => {
  const { workers, clock, states } = await service();
  await fail(workers[0], 5);
  await clock.advance(30_000);
  const calls = workers.slice(0, 3).map(begin);
  await clock.advance(0);
  calls[0]?.end("failure");
  await clock.advance(0);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  for (const { end } of calls) end("success");
  await clock.advance(30_000);
  for (const worker of workers.slice(0, 2)) await call(worker, "success");
  await clock.advance(0);
  expect(states()).not.toContain("closed");
  await call(workers[3], "success");
  await clock.advance(0);
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
});

test("the slots of a dead worker are free after resetTimeout", async () => {
  const { workers, clock } = await service();
  await fail(workers[0], 5);
  await clock.advance(30_000);
  const held = Array.from({ length: 3 }, () => begin(workers[0]));
  await clock.advance(0);
  expect(held.map(({ isAdmitted }) => isAdmitted)).toEqual([true, true, true]);
  workers[0]?.die();
  expect(await call(workers[1], "success")).toBeNull();
  await clock.advance(29_999);
  expect(await call(workers[1], "success")).toBeNull();
  await clock.advance(2);
  for (const outcome of ["success", "success", "success"] as const) {
    expect(await call(workers[1], outcome)).toBe("success");
  }
});

test("a worker that starts later adopts the state and remaining time", async () => {
  const { workers, clock, start, states } = await service({ workers: 1 });
  await fail(workers[0], 5);
  await clock.advance(20_000);
  const late = await start();
  expect(late.circuits.list()[0]).toMatchObject({ state: "open", retryAfterSecs: 10 });
  await clock.advance(10_000);
  for (let trial = 0; trial < 3; trial++) await call(workers[0], "success");
  await clock.advance(0);
  await start();
  expect(states()).toEqual(["closed", "closed", "closed"]);
  await fail(late, 5);
  await clock.advance(0);
  expect(states()).toEqual(["open", "open", "open"]);
});

test("trip and reset resolve after every worker has changed", async () => {
  const { workers, states, clock } = await service();
  await workers[2]?.circuits.trip("callee");
  expect(states()).toEqual(["open", "open", "open", "open"]);
  await clock.advance(29_000);
  await workers[1]?.circuits.trip("callee");
  await clock.advance(2000);
  expect(states()).toEqual(["open", "open", "open", "open"]);
  await workers[0]?.circuits.reset("callee");
  expect(states()).toEqual(["closed", "closed", "closed", "closed"]);
});

test("every worker reports every change once, in order", async () => {
  const { workers, clock } = await service({ workers: 2 });
  await fail(workers[0], 5);
  await clock.advance(30_000);
  for (let trial = 0; trial < 3; trial++) await call(workers[0], "success");
  await clock.advance(0);
  for (const { seen } of workers) {
    expect(seen).toEqual([
      { name: "callee", from: "closed", to: "open" },
      { name: "callee", from: "open", to: "half-open" },
      { name: "callee", from: "half-open", to: "closed" },
    ]);
  }
});

test("after a concurrent trip and reset every worker has the same state", async () => {
  const { workers, states, clock } = await service();
  const [one, two] = workers as [Worker, Worker];
  const forced = Promise.all([one.circuits.trip("callee"), two.circuits.reset("callee")]);
  await clock.advance(0);
  await forced;
  expect(new Set(states()).size).toBe(1);
});

test("a circuit that has opened rejects calls even while its announcement is pending", async () => {
  const { workers } = await service();
  const [first] = workers;
  for (let failure = 0; failure < 5; failure++) void first?.call(null, () => "failure");
  expect(() => first?.call(null, () => "success")).toThrow("Circuit open");
});
