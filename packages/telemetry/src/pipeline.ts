import {
  type Attributes,
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { aborted, type Clock, throttledLog } from "@framework/core/feature";
import type { Logger } from "@framework/core";
import { createMetricExporter, createSpanExporter } from "./export/exporters.ts";
import { SpanQueue } from "./export/span-queue.ts";
import { apiRequestMeter, OwnRequestMeter, type RequestMeter } from "./metrics/request-meter.ts";
import { type FeatureInsight, metricProducer } from "./metrics/metric-producer.ts";
import { W3cPropagator } from "./propagation/w3c-propagator.ts";
import { MAX_ATTRIBUTE, redactText } from "./redaction/redact.ts";
import type { Destinations } from "./settings/destinations.ts";
import type { OpenTelemetryConfig } from "./telemetry-config.ts";
import { programHasSdk, registerSdk, shareContexts } from "./tracing/globals.ts";
import { RandomIds } from "./tracing/random-ids.ts";
import { RatioSampler } from "./tracing/ratio-sampler.ts";
import { hrTimeOf, processTime } from "./tracing/span-time.ts";
import { suppressTracing, type Tracing } from "./tracing/tracing.ts";

/** The SDK of an app: tracing, metering and export. */
export interface Pipeline {
  readonly tracing: Tracing;
  /** `null` if metrics are not exported. */
  readonly meter: RequestMeter | null;
  /** `null` if spans are not exported, or if the program's own SDK exports them. */
  readonly queue: SpanQueue | null;
  /** Sends queued spans and metrics until `deadline` aborts, and removes every registration. */
  stop(deadline: AbortSignal): Promise<void>;
}

/** Options of `startPipeline`. */
export interface PipelineOptions {
  readonly config: Readonly<OpenTelemetryConfig>;
  readonly clock: Clock;
  readonly to: Destinations;
  readonly log: Logger;
  /** Metrics of features, exported with the metrics of requests. */
  readonly features: FeatureInsight;
}

const SCOPE = "@framework/telemetry";

/** Starts the SDK, or uses the program's own SDK. @throws TELEMETRY_NEEDS_GRPC */
export const startPipeline = async (options: PipelineOptions): Promise<Pipeline> =>
  programHasSdk() ? programPipeline(options.config) : await ownPipeline(options);

/** The program's SDK decides about sampling, propagation and export; nothing is registered. */
const programPipeline = ({ exportMetrics }: OpenTelemetryConfig): Pipeline => ({
  tracing: { tracer: trace.getTracer(SCOPE), contexts: context, propagator: propagation, own: null },
  meter: exportMetrics ? apiRequestMeter(metrics.getMeterProvider()) : null,
  queue: null,
  stop: () => Promise.resolve(),
});

const ownPipeline = async ({ config, clock, to, log, features }: PipelineOptions): Promise<Pipeline> => {
  const [{ TracerProvider }, sdk, { defaultResource, resourceFromAttributes }, { RequestContexts }] =
    await Promise.all([
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/resources"),
      import("./tracing/request-contexts.ts"),
    ]);
  const timeoutMs = config.exportTimeoutMs;
  const spanExporter = await createSpanExporter(to.traces, timeoutMs);
  const metricExporter = await createMetricExporter(to.metrics, timeoutMs);
  const time = () => hrTimeOf(clock.date());
  const { contexts, release } = shareContexts(() => new RequestContexts());
  const resource = defaultResource().merge(resourceFromAttributes(resourceAttributes(config)));
  const ids = new RandomIds();
  const sampler = new RatioSampler(Math.min(1, Math.max(0, config.samplingRate)));
  const silent = suppressTracing(ROOT_CONTEXT);
  const [logFailure, logWarning] = [throttledLog({ clock }), throttledLog({ clock })];
  const onFailure = (error: Error, spans: number): void => {
    const reason = redactText(error.message);
    if (spans === 0)
      logWarning((omitted) => log.warn(`telemetry: a warning of the collector: ${reason}`, { omitted }));
    else logFailure((omitted) => log.warn(`telemetry: ${spans} spans were dropped: ${reason}`, { omitted }));
  };
  const queue =
    spanExporter === null
      ? null
      : new SpanQueue({
          exporter: spanExporter,
          queueSize: config.queueSize,
          batchSize: Math.min(config.batchSize, config.queueSize),
          delayMs: config.batchDelayMs,
          timeoutMs: timeoutMs + GRACE_MS,
          clock,
          withoutTracing: (work) => contexts.with(silent, work),
          onFailure,
        });
  const tracers = new TracerProvider({
    resource,
    sampler,
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE },
    spanProcessors: queue === null ? [] : [queue],
  });
  const meter = config.exportMetrics ? new OwnRequestMeter(time) : null;
  const reader =
    metricExporter === null
      ? null
      : new sdk.PeriodicExportingMetricReader({
          exporter: metricExporter,
          exportIntervalMillis: config.metricIntervalMs,
          exportTimeoutMillis: Math.min(timeoutMs + GRACE_MS, config.metricIntervalMs),
          metricProducers:
            meter === null ? [] : [metricProducer({ requests: meter, features, resource, kinds: sdk, time })],
        });
  const meters = new sdk.MeterProvider({ resource, readers: reader === null ? [] : [reader] });
  const propagator = config.propagation === "w3c" ? new W3cPropagator(config.baggageKeys) : noPropagator;
  const unregister = registerSdk({ tracers, meters, propagator });
  const origin = {
    resource,
    scope: { name: SCOPE },
    now: config.clock?.now ?? processTime(),
    date: clock.date,
    onEnd: (span: ReadableSpan) => queue?.onEnd(span),
  };
  const tracing = { tracer: tracers.getTracer(SCOPE), contexts, propagator, own: { ids, sampler, origin } };
  return {
    tracing,
    meter: reader === null ? null : meter,
    queue,
    async stop(deadline) {
      unregister();
      const metricsSent = contexts.with(silent, () => meters.shutdown()).catch(() => {}); // already logged by the reader
      await Promise.race([Promise.all([queue?.close(deadline), metricsSent]), aborted(deadline)]);
      release();
    },
  };
};

/** Extra milliseconds in which an exporter must report its own timeout. */
const GRACE_MS = 1000;

const resourceAttributes = (config: OpenTelemetryConfig): Attributes => ({
  ...config.resourceAttributes,
  "service.name": config.serviceName,
  "service.version": config.serviceVersion,
  "service.instance.id": config.resourceAttributes["service.instance.id"] ?? crypto.randomUUID(),
  "process.pid": process.pid,
});

const noPropagator: TextMapPropagator = {
  inject: () => {},
  extract: (current) => current,
  fields: () => [],
};
