import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  isClock,
  list,
  optional,
} from "@framework/core/feature";
import { type Guard, type HttpRequest, isGuard } from "@framework/core";
import { areBounds } from "./buckets.ts";
import { isLabelName, isMetricName } from "./family.ts";
import type { PromRegistry } from "./prom-registry.ts";

/** Options of `enablePrometheus`. */
export interface PrometheusConfig {
  /** Path of the exposition. @default "/metrics" */
  readonly endpoint: string;
  /** First part of the names. @default "framework" */
  readonly namespace: string;
  /** Second part of the names of the four request metrics. @default "http" */
  readonly subsystem: string;
  /** Upper bounds of the duration's buckets, in seconds. @default [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] */
  readonly durationBuckets: readonly number[];
  /** Upper bounds of the buckets of sizes, in bytes. @default [100, 1000, 10000, 100000, 1000000] */
  readonly sizeBuckets: readonly number[];
  /** Labels on every series. @default {} */
  readonly defaultLabels: Readonly<Record<string, string>>;
  /** Maximum number of series of one metric in one worker; further label values are aggregated as `overflow`. @default 10000 */
  readonly maxSeries: number;
  /** Whether process metrics are shown: CPU, memory, garbage collection, event loop. @default true */
  readonly processMetrics: boolean;
  /** Whether operations of all features are timed: messages, commands, statements, calls. Timing an operation takes about 2 µs. @default true */
  readonly operations: boolean;
  /** Further registries of prom-client. @default [] */
  readonly registries: readonly PromRegistry[];
  /** Guards of the endpoint; the app's guards do not apply. @default [] */
  readonly guards: readonly Guard<HttpRequest>[];
  /** The clock, for tests. @default `performance.now`, which has a finer resolution than the process's clock */
  readonly clock: Clock | undefined;
}

const name = (initial: string) =>
  checked(
    initial,
    "a name of letters, digits and underscores that does not start with a digit",
    isMetricName,
  );

const bounds = (initial: readonly number[]) =>
  checked<readonly number[]>(initial, "a list of 1 to 60 numbers in ascending order", areBounds);

export const PrometheusConfig: ConfigRecord<PrometheusConfig> = configRecord("PrometheusConfig", {
  endpoint: checked(
    "/metrics",
    "a path such as /metrics: letters, digits and . _ ~ -, without a trailing slash",
    (value) => typeof value === "string" && value.length <= 200 && /^(?:\/[\w~.-]*[\w~-])+$/.test(value),
  ),
  namespace: name("framework"),
  subsystem: name("http"),
  durationBuckets: bounds([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  sizeBuckets: bounds([100, 1000, 10_000, 100_000, 1_000_000]),
  defaultLabels: checked({}, "an object of at most 20 labels with string values", areLabels),
  maxSeries: integer(10_000, { min: 1, max: 100_000 }),
  processMetrics: flag(true),
  operations: flag(true),
  registries: list<PromRegistry>([], "registries of prom-client", isRegistry),
  guards: list<Guard<HttpRequest>>([], "guards: functions, or objects with check", isGuard),
  clock: optional<Clock>({ problem: (value) => (isClock(value) ? null : "must be a Clock") }),
});

function areLabels(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= 20 && entries.every(([key, text]) => isLabelName(key) && typeof text === "string");
}

function isRegistry(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<PromRegistry>).getMetricsAsJSON === "function"
  );
}
