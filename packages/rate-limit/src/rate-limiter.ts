import { randomUUID } from "node:crypto";
import type { AppSettings, Awaitable, Endpoint, HttpRequest, RouteInfo } from "@framework/core";
import { isUnder, type RouteOption, type SharedState, throttledLog } from "@framework/core/feature";
import { LeasedPermits } from "./leased-permits.ts";
import { Limit } from "./limit.ts";
import type { Verdicts } from "./limit-requests.ts";
import { directQuotas, type Quota, type QuotaSource } from "./quota.ts";
import type { RateLimitConfig } from "./rate-limit-config.ts";
import type { RouteLimit } from "./route-limit.ts";

/** The limits of one app and their source of permits, from start to stop. */
export class RateLimiter {
  readonly verdicts: Verdicts = { allowed: 0, denied: 0 };
  storeErrors = 0;
  readonly #config: Readonly<RateLimitConfig>;
  readonly #option: RouteOption<RouteLimit | false>;
  readonly #ofApp: Limit;
  readonly #ofRoutes = new Map<string, Limit>();
  /** The same limits by the endpoint of a request. */
  readonly #byEndpoint = new Map<Endpoint, Limit>();
  #source: QuotaSource | null = null;
  readonly #logSometimes = throttledLog();

  /** @param option the `rateLimit` option of routes */
  constructor(config: Readonly<RateLimitConfig>, option: RouteOption<RouteLimit | false>) {
    this.#config = config;
    this.#option = option;
    this.#ofApp = new Limit("default", config);
  }

  /** Creates the limits of routes and opens the store. */
  async start(routes: readonly RouteInfo[], shared: SharedState, settings: AppSettings): Promise<void> {
    const { store, storeTimeoutMs: timeoutMs } = this.#config;
    for (const route of routes) {
      const own = this.#option.of(route);
      if (own === undefined || own === false) continue;
      const name = `${route.method} ${route.path}`;
      this.#ofRoutes.set(name, new Limit(name, merged(this.#config, own)));
    }
    const failed = (error: unknown): void => this.#failed(error, settings);
    // Workers of one service lease permits, because a call costs more than the work. A custom store decides each request.
    this.#source =
      store === "workers" && settings.workers > 1
        ? new LeasedPermits({ shared, workers: settings.workers, id: randomUUID(), timeoutMs, failed })
        : directQuotas({ store: store === "workers" ? shared.permits : store, timeoutMs, failed });
    for (const { adaptive } of this.limits) await adaptive?.start(shared.values, failed);
  }

  async stop(): Promise<void> {
    for (const { adaptive } of this.limits) adaptive?.stop();
    await this.#source?.stop();
  }

  get limits(): readonly Limit[] {
    return [this.#ofApp, ...this.#ofRoutes.values()];
  }

  /** Decides on a request by its key; `null` without an answer of the store. */
  take(limit: Limit, key: string): Awaitable<Quota | null> {
    return this.#source === null ? null : this.#source.take(limit, key);
  }

  /** Returns the limit of a request; `null` for none. */
  limitOf(request: HttpRequest): Limit | null {
    if (isExempt(request, this.#config.exemptPaths)) return null;
    const { endpoint } = request;
    const own = this.#option.of(endpoint);
    if (endpoint === null || own === undefined) return this.#ofApp;
    return own === false ? null : this.#ofRoute(endpoint);
  }

  /** The source of permits; `null` before start. */
  get source(): QuotaSource | null {
    return this.#source;
  }

  #ofRoute(endpoint: Endpoint): Limit {
    const known = this.#byEndpoint.get(endpoint);
    if (known !== undefined) return known;
    const limit = this.#ofRoutes.get(`${endpoint.method} ${endpoint.pattern}`) ?? this.#ofApp;
    this.#byEndpoint.set(endpoint, limit);
    return limit;
  }

  /** Counts a failure of the store and logs at most one per minute. */
  #failed(error: unknown, { log }: AppSettings): void {
    this.storeErrors++;
    const outcome = this.#config.onStoreError === "allow" ? "allowed" : "denied";
    this.#logSometimes(() =>
      log.warn(`the store of the rate limit does not answer; requests are ${outcome}`, { error }),
    );
  }
}

/** Whether a request is exempt: by its route, its path, or as a CORS preflight (Fetch standard). */
const isExempt = (request: HttpRequest, exemptPaths: readonly string[]): boolean => {
  if (request.endpoint !== null && request.endpoint.exempt.includes("limits")) return true;
  if (request.method === "OPTIONS" && isPreflight(request)) return true;
  for (const path of exemptPaths) if (isUnder(request.path, path)) return true;
  return false;
};

const isPreflight = (request: HttpRequest): boolean =>
  request.getHeader("origin") !== null && request.getHeader("access-control-request-method") !== null;

/** Returns the app's record with the route's overrides. */
const merged = (config: Readonly<RateLimitConfig>, own: RouteLimit): Readonly<RateLimitConfig> => {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...config, ...Object.fromEntries(given) };
};
