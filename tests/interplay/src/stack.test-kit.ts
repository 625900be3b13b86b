import {
  App,
  HttpError,
  type HttpRequest,
  type Middleware,
  Response,
  type RouteOptions,
  UnauthorizedError,
} from "@framework/core";
import type { AddsRouteOptions, AnyFeature, Feature } from "@framework/core/feature";
import type { CircuitBreakerRouteOptions } from "@framework/breaker";
import type { RateLimitRouteOptions } from "@framework/rate-limit";
import { type ToggleName, toggles } from "./toggles.test-kit.ts";

/** Observations of an app, other than its replies. */
export interface Observations {
  /** Parsed log lines, in order. */
  readonly lines: Readonly<Record<string, unknown>>[];
  /** End of each request, with its `X-Request-ID`. */
  readonly ends: [id: string | null, end: "sent" | "aborted"][];
  /** Number of requests in progress. */
  inFlight: number;
  /** Number of handler calls by path. */
  readonly calls: Map<string, number>;
  /** Returns the metrics of the features, by name. */
  metrics(): Readonly<Record<string, unknown>>;
}

/** An app with the routes of the rows. */
export interface Stack extends App {
  readonly enabled: ReadonlySet<ToggleName>;
  readonly observed: Observations;
}

/** The order in which an app is composed: features as in `App.with`, then the calls of `enableX`. */
export interface Order {
  readonly installed: readonly ToggleName[];
  readonly enabled: readonly ToggleName[];
}

export const pageText = "a line of a page that is worth compressing\n".repeat(60);
export const streamText = "first,second,third";

/** Composes an app. The observing middleware is the outermost one, like telemetry. */
export const stackOf = ({ installed, enabled: enableOrder }: Order): Stack => {
  const observed = createObservations();
  const observer = observerOf(observed);
  class StackApp extends App {
    static override readonly features: readonly AnyFeature[] = [
      observer,
      ...inOrder(installed).flatMap((name) => toggles[name].features),
    ];
  }
  const app = new StackApp();
  const writeLine = (line: string) => void observed.lines.push(JSON.parse(line) as Record<string, unknown>);
  for (const name of enableOrder) toggles[name].enable(app, writeLine);
  app.use(authenticate);
  const enabled = new Set(enableOrder);
  addRoutes(app, enabled, observed);
  return Object.assign(app, { enabled, observed });
};

/** Moves commands to the end: installing them before the cache is a start error. */
const inOrder = (names: readonly ToggleName[]): readonly ToggleName[] => [
  ...names.filter((name) => name !== "commands"),
  ...names.filter((name) => name === "commands"),
];

type MutableObservations = { -readonly [Name in keyof Observations]: Observations[Name] };

const createObservations = (): MutableObservations => ({
  lines: [],
  ends: [],
  inFlight: 0,
  calls: new Map(),
  metrics: () => ({}),
});

const observerOf = (observed: MutableObservations): Feature => ({
  name: "observer",
  install: (host) => {
    host.http.use("telemetry", (request, next) => {
      observed.inFlight++;
      request.onEnd((end) => {
        observed.inFlight--;
        observed.ends.push([request.getHeader("x-request-id"), end]);
      });
      return next(request);
    });
    observed.metrics = () =>
      Object.fromEntries(host.insight.metrics().map((metric) => [metric.name, metric.read()]));
    return {};
  },
});

/** Authentication written by an application. */
const authenticate: Middleware<HttpRequest, Response> = (request, next) => {
  if (request.path === "/private" && request.getHeader("authorization") === null)
    throw new UnauthorizedError();
  return next(request);
};

const page = (headers: Readonly<Record<string, string>> = {}): Response =>
  Response.text(pageText, { headers });

/** Route options that exist only while their features are installed. */
type FeatureRouteOptions = CircuitBreakerRouteOptions & RateLimitRouteOptions;

const addRoutes = (
  app: App & AddsRouteOptions<FeatureRouteOptions>,
  enabled: ReadonlySet<ToggleName>,
  { calls }: Observations,
): void => {
  /** Options of a disabled feature would be a start error. */
  const limitOptions = (maxRequests: number) =>
    enabled.has("rateLimit") ? { rateLimit: { maxRequests } } : {};
  const breakerOptions = (failureThreshold: number) =>
    enabled.has("breaker") ? { breaker: { failureThreshold } } : {};
  type Options = Pick<RouteOptions, "guards" | "timeoutSecs"> & FeatureRouteOptions;
  const get = (path: string, options: Options, handle: (request: HttpRequest) => unknown): void => {
    app.get(path, options, (request) => {
      calls.set(path, (calls.get(path) ?? 0) + 1);
      return handle(request);
    });
  };
  const down = (): never => {
    throw new HttpError(503, "The origin is down");
  };

  get("/page", {}, () => page({ "x-cache-tags": "pages", vary: "Accept-Language" }));
  get("/tagged", {}, () => page({ etag: '"v1"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" }));
  get("/private", {}, () => page());
  get("/denied", { guards: [() => false] }, () => page());
  app.post("/upload", async (request) => ({ bytes: (await request.text()).length }));
  get("/limited", limitOptions(1), () => page());
  get("/fails", {}, () => {
    throw new Error("broken");
  });
  get("/open", breakerOptions(1), down);
  get("/kept", breakerOptions(1), ({ query }) => (query.has("fail") ? down() : page()));
  get("/slow", { timeoutSecs: 0.01 }, ({ signal }) => untilAborted(signal));
  get("/waits", breakerOptions(1), ({ query, signal }) => {
    const isFirst = calls.get("/waits") === 1;
    return query.has("now") || (query.has("once") && !isFirst) ? page() : untilAborted(signal);
  });
  get("/stream", {}, () => Response.stream(pieces(), { contentType: "text/plain; charset=utf-8" }));
  get("/endless", {}, () => Response.stream(drip(calls), { contentType: "text/plain" }));
};

async function* pieces() {
  yield* streamText.split(/(?<=,)/);
}

async function* drip(calls: Map<string, number>) {
  try {
    for (;;) {
      yield "drop ";
      await new Promise(setImmediate);
    }
  } finally {
    calls.set("end of /endless", 1);
  }
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
