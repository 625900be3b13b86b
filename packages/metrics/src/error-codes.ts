import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const metricsErrors: ErrorCatalogue = {
  METRICS_BAD_METRIC: {
    summary: "a metric's name, labels, help or buckets are malformed or taken; the app does not start",
    action: "correct the problem that the message names",
  },
  METRICS_NOT_ENABLED: {
    summary: "a metric was created before `enablePrometheus`; the app does not start",
    action: "call `enablePrometheus` first",
  },
  METRICS_ALREADY_STARTED: {
    summary: "a metric was created after start",
    action: "create it before start",
  },
  METRICS_BAD_AMOUNT: {
    summary: "an amount is not a finite number, or is negative for a counter; nothing is recorded",
    action: "record a finite amount, for a counter 0 or more",
  },
  METRICS_BAD_LABELS: {
    summary:
      "the labels of an amount differ from the labels of its metric, or a sample of `read` has a malformed label; nothing is recorded",
    action: "give each label of the metric a value",
  },
};
