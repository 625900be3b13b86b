import { expect, test } from "@jest/globals";
import { AppMetrics } from "./app-metrics.ts";
import type { HistogramDefinition, HistogramOptions } from "./histogram.ts";

const make = () => {
  const problems: string[] = [];
  return { problems, metrics: new AppMetrics((message) => problems.push(message)) };
};

test("observations without a recorder are dropped", () => {
  const { metrics } = make();
  const seconds = metrics.histogram({ name: "step_duration_seconds", help: "Duration of steps." });
  expect(seconds.isRecorded).toBe(false);
  seconds.observe(1);
  const seen: number[] = [];
  metrics.addRecorder(() => (value) => void seen.push(value));
  expect([seconds.isRecorded, seen]).toEqual([true, []]);
  seconds.observe(2);
  expect(seen).toEqual([2]);
});

test("every recorder receives earlier and later histograms", () => {
  const { metrics } = make();
  const seen: unknown[] = [];
  const recorder = (name: string) => (definition: HistogramDefinition) => {
    seen.push([name, definition.name]);
    return (value: number, labels: object) => void seen.push([name, value, labels]);
  };
  metrics.addRecorder(recorder("one"));
  const seconds = metrics.histogram({ name: "call_duration_seconds", help: "Calls.", labels: ["peer"] });
  metrics.addRecorder(recorder("two"));
  seconds.observe(0.5, { peer: "a" });
  metrics.histogram({ name: "batch_items", help: "Batches." }).observe(3);
  expect(seen).toEqual([
    ["one", "call_duration_seconds"],
    ["two", "call_duration_seconds"],
    ["one", 0.5, { peer: "a" }],
    ["two", 0.5, { peer: "a" }],
    ["one", "batch_items"],
    ["two", "batch_items"],
    ["one", 3, {}],
    ["two", 3, {}],
  ]);
});

test("the unit determines the default buckets", () => {
  const { metrics } = make();
  const seen: (readonly number[])[] = [];
  metrics.addRecorder(({ buckets }) => (seen.push(buckets), () => {}));
  metrics.histogram({ name: "a_seconds", help: "A." });
  metrics.histogram({ name: "b_bytes", help: "B." });
  metrics.histogram({ name: "c_ratio", help: "C.", buckets: [0.5, 1] });
  expect(seen).toEqual([
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    [100, 1000, 10_000, 100_000, 1_000_000],
    [0.5, 1],
  ]);
});

test("non-finite values are ignored", () => {
  const { metrics } = make();
  const seen: number[] = [];
  metrics.addRecorder(() => (value) => void seen.push(value));
  const bytes = metrics.histogram({ name: "body_bytes", help: "Bodies." });
  for (const value of [Number.NaN, Infinity, -Infinity, 0, -1]) bytes.observe(value);
  expect(seen).toEqual([0, -1]);
});

test.each<[string, HistogramOptions<string>]>([
  ['"durationMs" must be named in snake case', { name: "durationMs", help: "A." }],
  [
    '"step_duration" must end in its unit: _seconds, _bytes, _ratio, _items',
    { name: "step_duration", help: "A." },
  ],
  ["must end in its unit", { name: "step_duration_ms", help: "A." }],
  ['"steps_count" must not end in a reserved suffix', { name: "steps_count", help: "A." }],
  ["may have at most 10 labels", { name: "a_seconds", help: "A.", labels: ["le"] }],
  ["may have at most 10 labels", { name: "a_seconds", help: "A.", labels: ["a", "a"] }],
  ["may have at most 10 labels", { name: "a_seconds", help: "A.", labels: ["A"] }],
  ["numbers in ascending order", { name: "a_seconds", help: "A.", buckets: [1, 1] }],
  ["numbers in ascending order", { name: "a_seconds", help: "A.", buckets: [] }],
  ['there is a metric "taken_seconds" already', { name: "taken_seconds", help: "A." }],
])("reports %j for %j", (message, options) => {
  const { metrics, problems } = make();
  metrics.add({ name: "taken_seconds", type: "gauge", help: "A.", read: () => 1 });
  metrics.histogram(options);
  expect(problems).toEqual([expect.stringContaining(message)]);
});

test("a name of Object.prototype is not a unit", () => {
  const { metrics, problems } = make();
  metrics.histogram({ name: "a_constructor", help: "A." });
  expect(problems).toEqual([
    'the histogram "a_constructor" must end in its unit: _seconds, _bytes, _ratio, _items',
  ]);
});
