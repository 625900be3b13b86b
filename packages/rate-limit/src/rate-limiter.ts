import { randomUUID } from "node:crypto";
import type { AppSettings, Awaitable, Endpoint, HttpRequest, RouteInfo } from "@framework/core";
import type { RouteOption, Sample, SharedState } from "@framework/core/feature";
import { directPermits } from "./direct-permits.ts";
import { isExempt } from "./exemptions.ts";
import { LeasedPermits } from "./leased-permits.ts";
import { Limit } from "./limit.ts";
import type { Tally } from "./limit-requests.ts";
import type { Quota, QuotaSource } from "./quota.ts";
import type { RateLimitConfig } from "./rate-limit-config.ts";
import type { RouteLimit } from "./route-limit.ts";

/** The limits of one app and where their permits come from, from start to stop. */
export class RateLimiter {
  readonly tally: Tally = { allowed: 0, refused: 0 };
  storeErrors = 0;
  readonly #config: Readonly<RateLimitConfig>;
  readonly #option: RouteOption<RouteLimit | false>;
  readonly #ofApp: Limit;
  readonly #ofRoutes = new Map<string, Limit>();
  /** The same limits by what a request carries. */
  readonly #byEndpoint = new Map<Endpoint, Limit>();
  #source: QuotaSource | null = null;
  #loggedAt = -Infinity;

  /** @param option the `rateLimit` option of routes */
  constructor(config: Readonly<RateLimitConfig>, option: RouteOption<RouteLimit | false>) {
    this.#config = config;
    this.#option = option;
    this.#ofApp = new Limit("default", config);
  }

  /** Makes the limits of routes and opens the store. */
  async start(routes: readonly RouteInfo[], shared: SharedState, settings: AppSettings): Promise<void> {
    const { store, storeTimeoutMs: timeoutMs } = this.#config;
    for (const route of routes) {
      const own = this.#option.of(route);
      if (own === undefined || own === false) continue;
      const name = `${route.method} ${route.path}`;
      this.#ofRoutes.set(name, new Limit(name, merged(this.#config, own)));
    }
    const failed = (error: unknown): void => this.#failed(error, settings);
    // Between the workers of one service a call costs more than the work: they lease. A store of the program decides each request by itself.
    this.#source =
      store === "workers" && settings.workers > 1
        ? new LeasedPermits({ shared, workers: settings.workers, id: randomUUID(), timeoutMs, failed })
        : directPermits({ store: store === "workers" ? shared.permits : store, timeoutMs, failed });
    for (const { adaptive } of this.limits) await adaptive?.start(shared.values, failed);
  }

  async stop(): Promise<void> {
    for (const { adaptive } of this.limits) adaptive?.stop();
    await this.#source?.stop();
  }

  get limits(): readonly Limit[] {
    return [this.#ofApp, ...this.#ofRoutes.values()];
  }

  /** Decides on a request by its key; `null` when the store gave no answer. */
  take(limit: Limit, key: string): Awaitable<Quota | null> {
    return this.#source === null ? null : this.#source.take(limit, key);
  }

  /** Calls to the store so far. */
  get storeCalls(): number {
    return this.#source?.calls ?? 0;
  }

  /** The limit of a request; `null` for none. */
  limitOf(request: HttpRequest): Limit | null {
    if (isExempt(request, this.#config.exemptPaths)) return null;
    const { endpoint } = request;
    const own = this.#option.of(endpoint);
    if (endpoint === null || own === undefined) return this.#ofApp;
    return own === false ? null : this.#ofRoute(endpoint);
  }

  /** What pages show. */
  snapshot(): Readonly<Record<string, unknown>> {
    const limits = Object.fromEntries(this.limits.map(({ name, policy }) => [name, policy]));
    const { storeErrors, storeCalls } = this;
    return { ...this.tally, storeErrors, storeCalls, keys: this.#source?.keys ?? 0, limits };
  }

  /** Requests so far by what became of them. */
  requests(): readonly Sample[] {
    const { allowed, refused } = this.tally;
    return [
      { value: allowed, labels: { result: "allowed" } },
      { value: refused, labels: { result: "refused" } },
    ];
  }

  /** Requests per window that each limit allows at this moment. */
  capacities(): readonly Sample[] {
    return this.limits.map(({ name, rule }) => ({ value: rule.capacity, labels: { limit: name } }));
  }

  #ofRoute(endpoint: Endpoint): Limit {
    const known = this.#byEndpoint.get(endpoint);
    if (known !== undefined) return known;
    const limit = this.#ofRoutes.get(`${endpoint.method} ${endpoint.pattern}`) ?? this.#ofApp;
    this.#byEndpoint.set(endpoint, limit);
    return limit;
  }

  /** Counts a failure of the store; at most one a minute is logged. */
  #failed(error: unknown, { log }: AppSettings): void {
    this.storeErrors++;
    const now = performance.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    log.warn(
      `the store of the rate limit does not answer; requests are ${OUTCOME[this.#config.onStoreError]}`,
      { error },
    );
  }
}

const LOG_EVERY_MS = 60_000;
const OUTCOME = { allow: "let through", deny: "denied" } as const;

/** The app's record with what a route says in its place. */
const merged = (config: Readonly<RateLimitConfig>, own: RouteLimit): Readonly<RateLimitConfig> => {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...config, ...Object.fromEntries(given) };
};
