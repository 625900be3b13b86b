import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { adviseWorkers } from "./advice.ts";
import { appendHistory, type HistoryEntry, readHistory, usualCapacity } from "./history.ts";

test.each([
  [{ capacity: 1000, cpu: 0.95, processors: 8, target: null }, 8],
  [{ capacity: 1000, cpu: 0.95, processors: 8, target: 3000 }, 5],
  [{ capacity: 1000, cpu: 0.95, processors: 2, target: 3000 }, 5],
  [{ capacity: 1000, cpu: 0.2, processors: 8, target: null }, 1],
  [{ capacity: 0, cpu: 0.95, processors: 8, target: null }, 1],
])("%j needs %d workers", (facts, workers) => {
  expect(adviseWorkers({ isReached: true, ...facts }).workers).toBe(workers);
});

test.each([
  [null, 1, "one worker serves the last rate; raise --max to find its capacity"],
  [50, 1, "one worker serves the last rate; raise --max to find its capacity"],
  [70, 2, "an upper bound; raise --max to find the capacity of one worker"],
])(
  "if the ramp ended within the limits, a low CPU share is not reported as waiting; target %p",
  (target, workers, reason) => {
    const facts = { capacity: 50, cpu: 0.07, isReached: false, processors: 8, target };
    expect(adviseWorkers(facts)).toEqual({ workers, reason });
  },
);

const entry = (capacity: number, request = "GET /", machine = "a"): HistoryEntry => ({
  at: "",
  request,
  machine,
  capacity,
  p99Ms: 1,
});

test("the usual capacity is the median of the last five measurements of the same request and machine", () => {
  const history = [10, 500, 510, 490, 2000, 505].map((capacity) => entry(capacity));
  expect(usualCapacity(history, entry(1))).toBe(505);
  expect(usualCapacity([...history, entry(9, "GET /other"), entry(9, "GET /", "b")], entry(1))).toBe(505);
  expect(usualCapacity([], entry(1))).toBeNull();
});

test("the history file keeps the last 200 measurements", () => {
  const path = join(mkdtempSync(join(tmpdir(), "cli-")), "below/history.json");
  for (let at = 0; at < 205; at++) appendHistory(path, entry(at));
  expect(readHistory(path).map(({ capacity }) => capacity)).toEqual(
    Array.from({ length: 200 }, (_, at) => at + 5),
  );
});
