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
  const checks: number[] = [];
  const queue: Queue = {
    pending,
    throttledUntil: -1,
    throttleCheckTimeoutId: null,
    checkPendingRequests: () => void checks.push(Date.now()),
    scheduleCheckPendingRequests: method,
  };
  queue.scheduleCheckPendingRequests();
  return { checks, queue };
};

const original = prototype[NAME];

test("the installed kafkajs has the version that is patched, and still has the bug", () => {
  expect((require("kafkajs/package.json") as { version: string }).version).toBe(PATCHED_VERSION);
  queueOf(original, []);
  expect(jest.getTimerCount()).toBe(1); // even though nothing is pending
});

test("no timer is set while nothing is pending", () => {
  expect(patchRequestTimer(require)).toBe(true);
  queueOf(prototype[NAME], []);
  expect(jest.getTimerCount()).toBe(0);
});

test("pending requests are checked after 10 ms, or when the server's throttling ends", () => {
  patchRequestTimer(require);
  const { checks } = queueOf(prototype[NAME], [1]);
  jest.advanceTimersByTime(9);
  expect(checks).toHaveLength(0);
  jest.advanceTimersByTime(1);
  expect(checks).toHaveLength(1);
  const { queue, checks: later } = queueOf(prototype[NAME], []);
  queue.pending = [1];
  queue.throttledUntil = Date.now() + 500;
  queue.scheduleCheckPendingRequests();
  jest.advanceTimersByTime(499);
  expect(later).toHaveLength(0);
  jest.advanceTimersByTime(1);
  expect(later).toHaveLength(1);
});

test("another version is not patched", () => {
  const loaded: unknown[] = [];
  const other = (id: string): unknown => {
    if (id === "kafkajs/package.json") return { version: "2.2.5" };
    loaded.push(id);
    return {};
  };
  expect(patchRequestTimer(other)).toBe(false);
  expect(loaded).toEqual([]);
});
