import { type HrTime, type MeterProvider, ValueType } from "@opentelemetry/api";
import type { Endpoint, HttpRequest } from "@framework/core";
import { methodAttribute } from "@framework/core/feature";
import { HistogramSeries, type Labels } from "./histogram-series.ts";
import { methodNumber } from "./method-number.ts";

/** Counts and times requests. */
export interface RequestMeter {
  /** Records the start of a request. */
  begin(request: HttpRequest): TimedRequest;
}

/** A request that is counted as active. It may be shared by all requests with the same labels. */
export interface TimedRequest {
  /** Records the end of the request. @param status 0 without a reply */
  end(status: number, durationMs: number): void;
}

/** Name, description and unit of the duration, by the stable HTTP conventions. */
export const durationMetric = {
  name: "http.server.request.duration",
  description: "Duration of HTTP server requests.",
  unit: "s",
} as const;
/** Name, description and unit of the active requests. */
export const activeMetric = {
  name: "http.server.active_requests",
  description: "Number of active HTTP server requests.",
  unit: "{request}",
} as const;
/** Upper bounds of the duration's buckets, in seconds. */
export const durationBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Maximum number of series of one histogram in one process; further observations are counted in one series with `otel.metric.overflow`. */
export const MAX_SERIES = 2000;

/** A series of active requests. */
export interface ActiveSeries {
  readonly attributes: Labels;
  readonly startTime: HrTime;
  value: number;
}

/**
 * Records requests in series of this package, with two lookups for each. An instrument of the SDK would sort and hash attributes for every request, which
 * costs more than all other steps.
 */
export class OwnRequestMeter implements RequestMeter {
  readonly active: Map<string, ActiveSeries> = new Map();
  readonly durations: HistogramSeries[] = [];
  /** Series by endpoint; the index of an array is `methodNumber` and scheme, because a lookup in an array is faster than in a second map. */
  private readonly byEndpoint: Map<Endpoint | null, (SeriesOfRequests | undefined)[]> = new Map();
  private overflow: HistogramSeries | null = null;
  private readonly time: () => HrTime;

  /** @param time the wall-clock time */
  constructor(time: () => HrTime) {
    this.time = time;
  }

  begin(request: HttpRequest): TimedRequest {
    const { endpoint, method, scheme } = request;
    let ofEndpoint = this.byEndpoint.get(endpoint);
    if (ofEndpoint === undefined) this.byEndpoint.set(endpoint, (ofEndpoint = []));
    const key = methodNumber(method) * 2 + (scheme === "http" ? 0 : 1);
    const series = ofEndpoint[key] ?? (ofEndpoint[key] = this.seriesOf(request));
    series.active.value++;
    return series;
  }

  private seriesOf({ method, scheme, route }: HttpRequest): SeriesOfRequests {
    const ofStatus = (status: number) => this.durationOf({ method, scheme, route }, status);
    return new SeriesOfRequests(this.activeOf(method, scheme), ofStatus);
  }

  /** At most one series for each known method and scheme. */
  private activeOf(method: string, scheme: string): ActiveSeries {
    const knownMethod = methodAttribute(method);
    const key = `${scheme} ${knownMethod}`;
    const attributes = { "http.request.method": knownMethod, "url.scheme": scheme };
    const series = this.active.get(key) ?? { attributes, startTime: this.time(), value: 0 };
    this.active.set(key, series);
    return series;
  }

  private durationOf(request: LabelSource, status: number): HistogramSeries {
    if (this.durations.length < MAX_SERIES) return this.newSeries(durationLabels(request, status));
    return (this.overflow ??= this.newSeries({ "otel.metric.overflow": true }));
  }

  private newSeries(attributes: Labels): HistogramSeries {
    const series = new HistogramSeries(attributes, durationBuckets, this.time());
    this.durations.push(series);
    return series;
  }
}

/** Members of a request that determine its labels. */
type LabelSource = Pick<HttpRequest, "method" | "scheme" | "route">;

/** The series of all requests with one route, method and scheme. */
class SeriesOfRequests implements TimedRequest {
  readonly active: ActiveSeries;
  private readonly create: (status: number) => HistogramSeries;
  private readonly byStatus: Map<number, HistogramSeries> = new Map();
  /** Cache of the last status: nearly all requests of a route have the same status. */
  private lastStatus = -1;
  private last: HistogramSeries | null = null;

  constructor(active: ActiveSeries, create: (status: number) => HistogramSeries) {
    this.active = active;
    this.create = create;
  }

  end(status: number, durationMs: number): void {
    this.active.value--;
    const series = status === this.lastStatus && this.last !== null ? this.last : this.ofStatus(status);
    series.observe(Math.max(0, durationMs) / 1000);
  }

  private ofStatus(status: number): HistogramSeries {
    let series = this.byStatus.get(status);
    if (series === undefined) this.byStatus.set(status, (series = this.create(status)));
    this.lastStatus = status;
    this.last = series;
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
    "http.request.method": methodAttribute(method),
    "url.scheme": scheme,
  });
  return {
    begin(request) {
      active.add(1, labels(request));
      return {
        end(status, durationMs) {
          active.add(-1, labels(request));
          duration.record(durationMs / 1000, durationLabels(request, status));
        },
      };
    },
  };
};

const durationLabels = ({ method, scheme, route }: LabelSource, status: number): Labels => ({
  "http.request.method": methodAttribute(method),
  "url.scheme": scheme,
  ...(route !== null && { "http.route": route }),
  ...(status !== 0 && { "http.response.status_code": status }),
  ...(status === 0 && { "error.type": "aborted" }),
  ...(status >= 500 && { "error.type": String(status) }),
});
