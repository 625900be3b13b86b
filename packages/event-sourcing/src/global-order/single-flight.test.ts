import { expect, test } from "@jest/globals";
import { SingleFlight } from "./single-flight.ts";

/** A coalesced function whose runs end when the test resolves them. */
const controlledFlight = () => {
  const ends: PromiseWithResolvers<number>[] = [];
  const calls = new SingleFlight(() => {
    const end = Promise.withResolvers<number>();
    ends.push(end);
    return end.promise;
  });
  return { calls, ends };
};

test("calls during a run share the next run", async () => {
  const { calls, ends } = controlledFlight();
  const first = calls.run();
  const [second, third] = [calls.run(), calls.run()];
  expect(ends).toHaveLength(1);
  ends[0]?.resolve(1);
  expect(await first).toBe(1);
  await new Promise(setImmediate);
  expect(ends).toHaveLength(2);
  ends[1]?.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});

test("a failed run does not fail the next one", async () => {
  const { calls, ends } = controlledFlight();
  const first = calls.run();
  const second = calls.run();
  ends[0]?.reject(new Error("no"));
  await expect(first).rejects.toThrow("no");
  await new Promise(setImmediate);
  ends[1]?.resolve(2);
  expect(await second).toBe(2);
});

test("one run is active at a time, even for a call at the moment when a run ends", async () => {
  let [running, maxRunning] = [0, 0];
  const calls = new SingleFlight(async () => {
    maxRunning = Math.max(maxRunning, ++running);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    running--;
  });
  const caller = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    for (let call = 0; call < 3; call++) await calls.run();
  };
  await Promise.all(Array.from({ length: 12 }, (_, turns) => caller(turns)));
  expect([running, maxRunning]).toEqual([0, 1]);
});
