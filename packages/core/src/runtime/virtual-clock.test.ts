import { expect, jest, test } from "@jest/globals";
import { virtualClock } from "./virtual-clock.ts";

test("only advance changes the time", async () => {
  const { now, date, advance } = virtualClock({ start: 1000 });
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect([now(), date()]).toEqual([1000, 1000]);
  await advance(500);
  expect([now(), date()]).toEqual([1500, 1500]);
});

test("timers fire in order of time, then of registration, and now() is their due time", async () => {
  const clock = virtualClock();
  const fired: string[] = [];
  const log = (name: string) => () => void fired.push(`${name} ${clock.now()}`);
  clock.after(20, log("late"));
  clock.after(10, log("first"));
  clock.after(10, log("second"));
  clock.after(21, log("after"));
  await clock.advance(20);
  expect(fired).toEqual(["first 10", "second 10", "late 20"]);
  expect([clock.now(), clock.pending]).toEqual([20, 1]);
});

test("a timer set by a timer fires in the same advance if it falls due", async () => {
  const clock = virtualClock();
  const fired: number[] = [];
  const again = (): void => {
    fired.push(clock.now());
    clock.after(10, again);
  };
  clock.after(10, again);
  await clock.advance(35);
  expect(fired).toEqual([10, 20, 30]);
});

test("promise jobs are drained before the first timer and after each", async () => {
  const clock = virtualClock();
  const steps: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let step = 0; step < 50; step++) await Promise.resolve();
    steps.push(`${name} sleeps at ${clock.now()}`);
    await clock.sleep(10);
    for (let step = 0; step < 50; step++) await Promise.resolve();
    steps.push(`${name} wakes at ${clock.now()}`);
  };
  const all = Promise.all([work("a"), work("b").then(() => work("c"))]);
  await clock.advance(20);
  await all;
  expect(steps).toEqual([
    "a sleeps at 0",
    "b sleeps at 0",
    "a wakes at 10",
    "b wakes at 10",
    "c sleeps at 10",
    "c wakes at 20",
  ]);
});

test("an interval repeats until its own task stops it", async () => {
  const clock = virtualClock();
  const fired: number[] = [];
  const stop = clock.every(10, () => {
    fired.push(clock.now());
    if (fired.length === 3) stop();
  });
  await clock.advance(100);
  expect([fired, clock.pending]).toEqual([[10, 20, 30], 0]);
});

test("a cancelled timer does not fire; cancelling twice, or after it fired, does nothing", async () => {
  const clock = virtualClock();
  const fired: string[] = [];
  const cancel = clock.after(10, () => fired.push("cancelled"));
  const cancelLater = clock.after(10, () => fired.push("kept"));
  cancel();
  cancel();
  await clock.advance(10);
  cancelLater();
  expect([fired, clock.pending]).toEqual([["kept"], 0]);
});

test.each([0, -5, 0.5, Number.NaN, 2 ** 31, Infinity])("a delay of %p counts as 1 ms", async (delayMs) => {
  const clock = virtualClock();
  let firedAt: number | undefined;
  clock.after(delayMs, () => (firedAt = clock.now()));
  await clock.advance(1);
  expect(firedAt).toBe(1);
});

test("advance(0) drains promise jobs and fires no timer that was set at this time", async () => {
  const clock = virtualClock();
  const steps: string[] = [];
  clock.after(0, () => steps.push("timer"));
  void Promise.resolve().then(() => steps.push("job"));
  await clock.advance(0);
  expect(steps).toEqual(["job"]);
  await clock.advance(1);
  expect(steps).toEqual(["job", "timer"]);
});

test("sleep rejects with its signal's reason and removes its timer", async () => {
  const clock = virtualClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(1000, controller.signal);
  expect(clock.pending).toBe(1);
  controller.abort("enough");
  await expect(sleeping).rejects.toBe("enough");
  await expect(clock.sleep(1, controller.signal)).rejects.toBe("enough");
  expect(clock.pending).toBe(0);
});

test("advance rejects with a timer's error and stops there; later timers stay, an interval continues", async () => {
  const clock = virtualClock();
  const fired: number[] = [];
  clock.every(10, () => {
    throw new Error(`broken at ${clock.now()}`);
  });
  clock.after(15, () => fired.push(clock.now()));
  await expect(clock.advance(100)).rejects.toThrow("broken at 10");
  expect([clock.now(), fired]).toEqual([10, []]);
  await expect(clock.advance(100)).rejects.toThrow("broken at 20");
  expect(fired).toEqual([15]);
});

test("overlapping advances run sequentially", async () => {
  const clock = virtualClock();
  const fired: number[] = [];
  clock.after(5, () => {
    fired.push(clock.now());
    void clock.advance(7);
  });
  await Promise.all([clock.advance(10), clock.advance(10)]);
  await clock.advance(0);
  expect([fired, clock.now()]).toEqual([[5], 27]);
});

test("runAll fires every timer and stops at the last", async () => {
  const clock = virtualClock();
  clock.after(1000, () => void clock.after(500, () => {}));
  await clock.runAll();
  expect([clock.now(), clock.pending]).toEqual([1500, 0]);
});

test("runAll gives up after 10,000 timers", async () => {
  const clock = virtualClock();
  let fired = 0;
  clock.every(1, () => fired++);
  await expect(clock.runAll()).rejects.toMatchObject({ code: "CORE_CLOCK_RUNAWAY" });
  expect(fired).toBe(10_000);
});

test("an invalid time is rejected", async () => {
  const clock = virtualClock();
  for (const ms of [-1, Number.NaN, Infinity]) {
    await expect(clock.advance(ms)).rejects.toMatchObject({ code: "CORE_BAD_CLOCK" });
  }
  expect(() => virtualClock({ start: Number.NaN })).toThrow("start");
});

test("works while the test runner fakes the global timers", async () => {
  jest.useFakeTimers();
  try {
    const clock = virtualClock();
    let firedAt = 0;
    clock.after(10, () => (firedAt = clock.now()));
    await clock.advance(10);
    expect(firedAt).toBe(10);
  } finally {
    jest.useRealTimers();
  }
});
