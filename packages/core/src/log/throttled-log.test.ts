import { expect, test } from "@jest/globals";
import { virtualClock } from "../runtime/virtual-clock.ts";
import { throttledLog } from "./throttled-log.ts";

test("writes the first occurrence, then at most one per interval, and passes the number of omitted ones", async () => {
  const clock = virtualClock();
  const logThrottled = throttledLog({ everyMs: 1000, clock });
  const written: [at: number, omitted: number][] = [];
  const occur = (): void => logThrottled((omitted) => void written.push([clock.now(), omitted]));
  for (let time = 0; time < 2500; time += 100) {
    occur();
    await clock.advance(100);
  }
  expect(written).toEqual([
    [0, 0],
    [1000, 9],
    [2000, 9],
  ]);
});

test("writes one line a minute by default", async () => {
  const clock = virtualClock();
  const logThrottled = throttledLog({ clock });
  let lines = 0;
  logThrottled(() => lines++);
  await clock.advance(59_999);
  logThrottled(() => lines++);
  expect(lines).toBe(1);
  await clock.advance(1);
  logThrottled(() => lines++);
  expect(lines).toBe(2);
});
