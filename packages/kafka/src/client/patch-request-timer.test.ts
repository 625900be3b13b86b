import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { PATCHED_VERSION, patchRequestTimer } from "./patch-request-timer.ts";
import { requireOfUnpatchedDriver } from "./unpatched-driver.test-kit.ts";

const require = requireOfUnpatchedDriver();
const NAME = "scheduleCheckPendingRequests";

interface Queue {
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: unknown;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}
const { prototype } = require("kafkajs/src/network/requestQueue/index.js") as { prototype: Queue };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const queueOf = (method: Queue["scheduleCheckPendingRequests"], pending: unknown[]) => {
  const looks: number[] = [];
  const queue: Queue = {
    pending,
    throttledUntil: -1,
    throttleCheckTimeoutId: null,
    checkPendingRequests: () => void looks.push(Date.now()),
    scheduleCheckPendingRequests: method,
  };
  queue.scheduleCheckPendingRequests();
  return { looks, queue };
};

const original = prototype[NAME];

test("the driver is the version whose fault is known, and it still has the fault", () => {
  expect((require("kafkajs/package.json") as { version: string }).version).toBe(PATCHED_VERSION);
  queueOf(original, []);
  expect(jest.getTimerCount()).toBe(1); // although nothing is pending
});

test("no timer is armed while nothing is pending", () => {
  expect(patchRequestTimer(require)).toBe(true);
  queueOf(prototype[NAME], []);
  expect(jest.getTimerCount()).toBe(0);
});

test("pending requests are looked at after 10 ms, or when the server's pause is over", () => {
  patchRequestTimer(require);
  const { looks } = queueOf(prototype[NAME], [1]);
  jest.advanceTimersByTime(9);
  expect(looks).toHaveLength(0);
  jest.advanceTimersByTime(1);
  expect(looks).toHaveLength(1);
  const { queue, looks: later } = queueOf(prototype[NAME], []);
  queue.pending = [1];
  queue.throttledUntil = Date.now() + 500;
  queue.scheduleCheckPendingRequests();
  jest.advanceTimersByTime(499);
  expect(later).toHaveLength(0);
  jest.advanceTimersByTime(1);
  expect(later).toHaveLength(1);
});

test("another version is left alone", () => {
  const changed: unknown[] = [];
  const other = (id: string): unknown => {
    if (id === "kafkajs/package.json") return { version: "2.2.5" };
    changed.push(id);
    return {};
  };
  expect(patchRequestTimer(other)).toBe(false);
  expect(changed).toEqual([]);
});
