import { type HrTime, type MeterProvider, ValueType } from "@opentelemetry/api";
import type { Endpoint, HttpRequest } from "@framework/core";
import { methodNumber, methodOf } from "../redaction/method.ts";

/** Counts and times requests. */
export interface RequestMeter {
  /** A request has begun. */
  begin(request: HttpRequest): void;
  /** A request has ended. @param status 0 without a reply */
  end(request: HttpRequest, status: number, durationMs: number): void;
}

/** Names, units and buckets of the stable HTTP conventions. */
export const durationMetric = {
  name: "http.server.request.duration",
  description: "Duration of HTTP server requests.",
  unit: "s",
} as const;
export const activeMetric = {
  name: "http.server.active_requests",
  description: "Number of active HTTP server requests.",
  unit: "{request}",
} as const;
export const durationBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Most series of the duration in one process; requests beyond count in one with `otel.metric.overflow`. */
export const MAX_SERIES = 2000;

type Labels = Readonly<Record<string, string | number | boolean>>;

/** One series of the duration. */
export interface DurationSeries {
  readonly attributes: Labels;
  readonly startTime: HrTime;
  readonly counts: number[];
  sum: number;
  min: number;
  max: number;
}

/** One series of the active requests. */
export interface ActiveSeries {
  readonly attributes: Labels;
  readonly startTime: HrTime;
  value: number;
}

/**
 * The series of our SDK. An instrument of the SDK would sort and hash attributes for every request, which costs more than all the rest; here a request
 * is two look-ups.
 */
export class OwnRequestMeter implements RequestMeter {
  readonly active: Map<string, ActiveSeries> = new Map();
  readonly durations: DurationSeries[] = [];
  private readonly byEndpoint: Map<Endpoint | null, Map<number, DurationSeries>> = new Map();
  private overflow: DurationSeries | null = null;
  private readonly time: () => HrTime;

  /** @param time the wall-clock time */
  constructor(time: () => HrTime) {
    this.time = time;
  }

  begin(request: HttpRequest): void {
    this.activeOf(request).value++;
  }

  end(request: HttpRequest, status: number, durationMs: number): void {
    this.activeOf(request).value--;
    const series = this.seriesOf(request, status);
    const seconds = Math.max(0, durationMs) / 1000;
    let at = 0;
    while (at < durationBuckets.length && seconds > (durationBuckets[at] ?? 0)) at++;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
    if (seconds < series.min) series.min = seconds;
    if (seconds > series.max) series.max = seconds;
  }

  /** At most one series for each known method and scheme. */
  private activeOf({ method, scheme }: HttpRequest): ActiveSeries {
    const key = scheme === "http" ? method : `${scheme} ${method}`;
    const known = this.active.get(key);
    if (known !== undefined) return known;
    const word = methodOf(method);
    const kept = scheme === "http" ? word : `${scheme} ${word}`;
    const attributes = { "http.request.method": word, "url.scheme": scheme };
    const series = this.active.get(kept) ?? { attributes, startTime: this.time(), value: 0 };
    this.active.set(kept, series);
    return series;
  }

  private seriesOf(request: HttpRequest, status: number): DurationSeries {
    const { endpoint, method, scheme } = request;
    let ofEndpoint = this.byEndpoint.get(endpoint);
    if (ofEndpoint === undefined) this.byEndpoint.set(endpoint, (ofEndpoint = new Map()));
    const key = (status * 2 + (scheme === "http" ? 0 : 1)) * 16 + methodNumber(method);
    const known = ofEndpoint.get(key);
    if (known !== undefined) return known;
    if (this.durations.length >= MAX_SERIES)
      return (this.overflow ??= this.newSeries({ "otel.metric.overflow": true }));
    const series = this.newSeries(durationLabels(request, status));
    ofEndpoint.set(key, series);
    return series;
  }

  private newSeries(attributes: Labels): DurationSeries {
    const counts = Array.from({ length: durationBuckets.length + 1 }, () => 0);
    const series = { attributes, startTime: this.time(), counts, sum: 0, min: Infinity, max: 0 };
    this.durations.push(series);
    return series;
  }
}

/** Records requests with the instruments of the program's own SDK. */
export const apiRequestMeter = (provider: MeterProvider): RequestMeter => {
  const meter = provider.getMeter("@framework/telemetry");
  const { name, description, unit } = durationMetric;
  const advice = { explicitBucketBoundaries: [...durationBuckets] };
  const duration = meter.createHistogram(name, { description, unit, valueType: ValueType.DOUBLE, advice });
  const active = meter.createUpDownCounter(activeMetric.name, {
    description: activeMetric.description,
    unit: activeMetric.unit,
  });
  const labels = ({ method, scheme }: HttpRequest) => ({
    "http.request.method": methodOf(method),
    "url.scheme": scheme,
  });
  return {
    begin: (request) => active.add(1, labels(request)),
    end(request, status, durationMs) {
      active.add(-1, labels(request));
      duration.record(durationMs / 1000, durationLabels(request, status));
    },
  };
};

const durationLabels = ({ method, scheme, route }: HttpRequest, status: number): Labels => ({
  "http.request.method": methodOf(method),
  "url.scheme": scheme,
  ...(route !== null && { "http.route": route }),
  ...(status !== 0 && { "http.response.status_code": status }),
  ...(status === 0 && { "error.type": "aborted" }),
  ...(status >= 500 && { "error.type": String(status) }),
});
