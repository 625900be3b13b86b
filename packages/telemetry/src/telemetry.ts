import type { Handler, HttpRequest, Middleware, Response } from "@framework/core";
import {
  type ConfigInput,
  type Feature,
  type FieldUse,
  givenFields,
  type Host,
  isPlainObject,
  systemClock,
  waitsOnce,
} from "@framework/core/feature";
import { FeatureHistograms } from "./metrics/feature-histograms.ts";
import { tracedCalls } from "./outgoing/outgoing-calls.ts";
import { type Pipeline, startPipeline } from "./pipeline.ts";
import { destinations } from "./settings/destinations.ts";
import { fromEnvironment } from "./settings/environment.ts";
import { operationSpans } from "./spans/operation-spans.ts";
import { requestSpans } from "./spans/request-spans.ts";
import { OpenTelemetryConfig } from "./telemetry-config.ts";
import { currentTrace } from "./tracing/current-trace.ts";
import { processTime } from "./tracing/span-time.ts";

/** Methods that the feature adds to an app. */
export interface Telemetry {
  /**
   * Records requests and all other operations of the app as OpenTelemetry spans, times requests, and continues the traces of callers.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors; TELEMETRY_NEEDS_GRPC at start
   */
  enableTelemetry(config?: ConfigInput<OpenTelemetryConfig>): this;
}

/**
 * Adds OpenTelemetry to an app: spans, HTTP metrics, W3C trace context and baggage, exported over OTLP.
 *
 * @example
 * const app = new (App.with(telemetry))().enableTelemetry({ serviceName: "books", otlpEndpoint: "http://localhost:4318" });
 */
export const telemetry: Feature<Telemetry> = {
  name: "telemetry",
  install: (host) => ({
    enableTelemetry(input) {
      const { isDisabled, given, mistakes } = fromEnvironment(process.env);
      const config = host.configure(OpenTelemetryConfig, mergeOptions(given, input));
      for (const message of mistakes) host.warn({ code: "TELEMETRY_BAD_VARIABLE", message });
      if (!isDisabled) observe(host, config);
      return this;
    },
  }),
};

type Input = ConfigInput<OpenTelemetryConfig>;

/**
 * Merges the options of `enableTelemetry` over those of the environment. Resource attributes of both are used, as OpenTelemetry requires. A value that is
 * not an object is returned unchanged, for the configuration check to reject.
 */
const mergeOptions = (environment: Input, input: Input = {}): Input => {
  if (!isPlainObject(input)) return input;
  const given = givenFields(input);
  const { resourceAttributes } = given;
  if (!isPlainObject(resourceAttributes)) return { ...environment, ...given };
  const { "service.name": serviceName, "service.version": serviceVersion } = resourceAttributes;
  return {
    ...environment,
    ...(isNamed(serviceName) && { serviceName }),
    ...(isNamed(serviceVersion) && { serviceVersion }),
    ...given,
    resourceAttributes: { ...environment.resourceAttributes, ...resourceAttributes },
  };
};

const isNamed = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Maximum seconds of the stop hook: less than the time of the whole drain. */
const STOP_SECS = 10;
/** Maximum milliseconds for sending the last spans. */
const FLUSH_MS = 8000;

const observe = (host: Host, config: Readonly<OpenTelemetryConfig>): void => {
  const clock = config.clock ?? systemClock;
  const now = config.clock?.now ?? processTime();
  let pipeline: Pipeline | null = null;
  let requests: Middleware<HttpRequest, Response> = pass;
  let undo: (() => void)[] = [];
  host.http.use(
    "telemetry",
    waitsOnce((request, next) => requests(request, next)),
  );
  host.http.usesFields(() => (config.traceHeader ? [callerField, replyField] : [callerField]));
  host.insight.provideTrace(() => (pipeline === null ? null : currentTrace(pipeline.tracing)));
  countSpans(host, () => pipeline);
  const features = { metrics: () => host.insight.metrics(), histograms: new FeatureHistograms() };
  host.insight.recordHistograms(features.histograms.recorder);
  host.life.onStart({
    name: "telemetry",
    async run({ debug, log, env }) {
      const to = destinations(config, process.env, debug && env === "development");
      pipeline = await startPipeline({ config, clock, to, log, features });
      const { tracing, meter } = pipeline;
      requests = requestSpans(tracing, { ...config, meter, now });
      undo = [
        host.insight.onOperation(operationSpans(tracing)),
        host.insight.publishOutgoingCalls(tracedCalls(tracing)),
      ];
    },
  });
  host.life.onStop({
    name: "telemetry",
    timeoutSecs: STOP_SECS,
    async run(_settings, signal) {
      requests = pass;
      for (const task of undo.splice(0)) task();
      const timeout = new AbortController();
      const cancel = clock.after(FLUSH_MS, () => timeout.abort());
      try {
        await pipeline?.stop(AbortSignal.any([signal, timeout.signal]));
      } finally {
        cancel();
      }
    },
  });
};

/** Header fields for the API document, and for CORS, which allows them to pages of other origins. */
const callerField: FieldUse = {
  name: "traceparent",
  in: "request",
  type: "string",
  description: "The caller's trace (W3C Trace Context).",
};
const replyField: FieldUse = {
  name: "X-Trace-ID",
  in: "reply",
  type: "string",
  description: "Id of the trace, if it is sampled.",
};

const pass = (request: HttpRequest, next: Handler<HttpRequest, Response>): ReturnType<typeof next> =>
  next(request);

const countSpans = (host: Host, pipeline: () => Pipeline | null): void => {
  const last = { sent: 0, dropped: { full: 0, failed: 0, stopped: 0 } };
  const counts = () => pipeline()?.queue ?? last;
  host.insight
    .metric({
      name: "telemetry_spans_sent_total",
      help: "Spans that the collector accepted.",
      type: "counter",
      read: () => counts().sent,
    })
    .metric({
      name: "telemetry_spans_dropped_total",
      help: "Spans that were not accepted: the queue was full, an export failed, or the app stopped.",
      type: "counter",
      read: () => Object.entries(counts().dropped).map(([reason, value]) => ({ value, labels: { reason } })),
    })
    .expose("telemetry", () => {
      const { sent, dropped } = counts();
      return { waiting: pipeline()?.queue?.size ?? 0, sent, dropped: { ...dropped } };
    });
};
