import { randomUUID } from "node:crypto";
import type { AppSettings, Awaitable, Endpoint, HttpRequest, Invocation, RouteInfo } from "@framework/core";
import {
  coversPath,
  givenFields,
  isPromise,
  type RouteOption,
  type SharedState,
  systemClock,
  throttledLog,
} from "@framework/core/feature";
import { Debts } from "./debts.ts";
import { LeasedPermits } from "./leased-permits.ts";
import { Epochs } from "./epochs.ts";
import { Limit, type RequestCounts } from "./limit.ts";
import { directQuotas, type Quota, type QuotaSource } from "./quota.ts";
import type { RateLimitConfig } from "./rate-limit-config.ts";
import type { RouteLimit } from "./route-limit.ts";
import { WorkerShare } from "./worker-share.ts";

/** The limits of one app and their source of permits, from start to stop. */
export class RateLimiter {
  storeErrors = 0;
  private readonly config: Readonly<RateLimitConfig>;
  private readonly option: RouteOption<RouteLimit | false>;
  private readonly appLimit: Limit;
  private readonly isExemptPath: (path: string) => boolean;
  private readonly routeLimits = new Map<string, Limit>();
  /** Limits by the endpoint of a request. */
  private readonly byEndpoint = new Map<Endpoint, Limit>();
  private quotaSource: QuotaSource | null = null;
  /** `null` with `onStoreError: "deny"`. */
  private share: WorkerShare | null = null;
  private readonly logThrottled = throttledLog();
  private readonly epochs = new Epochs(() => this.limits);

  /** @param option the `rateLimit` option of routes */
  constructor(config: Readonly<RateLimitConfig>, option: RouteOption<RouteLimit | false>) {
    this.config = config;
    this.isExemptPath = coversPath(config.exemptPaths);
    this.option = option;
    this.appLimit = new Limit("default", config);
  }

  /** Creates the limits of routes and opens the store. */
  async start(routes: readonly RouteInfo[], shared: SharedState, settings: AppSettings): Promise<void> {
    const { store, storeTimeoutMs, onStoreError } = this.config;
    const { workers } = settings;
    for (const route of routes) {
      const own = this.option.of(route);
      if (own === undefined || own === false) continue;
      const name = `${route.method} ${route.path}`;
      this.routeLimits.set(name, new Limit(name, mergeConfig(this.config, own)));
    }
    const onError = (error: unknown): void => this.recordFailure(error, settings);
    const debts = new Debts({ clock: systemClock });
    if (onStoreError === "allow") this.share = new WorkerShare({ workers, debts });
    // No timeout for the primary process: it may be busy, but is always reachable.
    const isRemote = store !== "workers" || shared.permits !== (settings.own ?? shared).permits;
    const timeoutMs = isRemote ? storeTimeoutMs : null;
    // Workers of one service lease permits, because a call to the store costs more than the decision. A custom store decides each request.
    this.quotaSource =
      store === "workers" && workers > 1
        ? new LeasedPermits({ shared, workers, id: randomUUID(), timeoutMs, debts, onError })
        : directQuotas({ store: store === "workers" ? shared.permits : store, timeoutMs, debts, onError });
    for (const { adaptive } of this.limits) await adaptive?.start(shared.values, onError);
    if (settings.env !== "production") await this.epochs.start(shared.values);
  }

  async stop(deadline: AbortSignal): Promise<void> {
    for (const { adaptive } of this.limits) adaptive?.stop();
    this.epochs.stop();
    await this.quotaSource?.stop(deadline);
  }

  get limits(): readonly Limit[] {
    return [this.appLimit, ...this.routeLimits.values()];
  }

  /** Requests of this process under all limits. */
  get counts(): Readonly<RequestCounts> {
    const sum = (of: keyof RequestCounts): number =>
      this.limits.reduce((total, { counts }) => total + counts[of], 0);
    return { allowed: sum("allowed"), denied: sum("denied") };
  }

  /** Resets the quota of every client of a limit, in all workers. @throws NotFoundError for an unknown name, and always in production */
  reset(name: string): Promise<void> {
    return this.epochs.reset(name);
  }

  /** Decides on a request by its key: by the store, else by this worker's share; `null` if requests are denied without the store. */
  take(limit: Limit, key: string): Awaitable<Quota | null> {
    const quota = this.quotaSource === null ? null : this.quotaSource.take(limit, key);
    if (isPromise(quota)) return quota.then((known) => known ?? this.withoutStore(limit, key));
    return quota ?? this.withoutStore(limit, key);
  }

  /** Returns the limit of a request; `null` for none. */
  limitOf(request: HttpRequest): Limit | null {
    if (isExempt(request, this.isExemptPath)) return null;
    const { endpoint } = request;
    const own = this.option.of(endpoint);
    if (endpoint === null || own === undefined) return this.appLimit;
    return own === false ? null : this.routeLimit(endpoint);
  }

  /** Returns the limit of a call of another entry point: the app's, or `null` for an exempt path `/service/method`. */
  limitOfCall({ name }: Invocation): Limit | null {
    return this.isExemptPath(`/${name}`) ? null : this.appLimit;
  }

  /** The source of permits; `null` before start. */
  get source(): QuotaSource | null {
    return this.quotaSource;
  }

  private withoutStore(limit: Limit, key: string): Awaitable<Quota | null> {
    return this.share === null ? null : this.share.take(limit, key);
  }

  private routeLimit(endpoint: Endpoint): Limit {
    const known = this.byEndpoint.get(endpoint);
    if (known !== undefined) return known;
    const limit = this.routeLimits.get(`${endpoint.method} ${endpoint.pattern}`) ?? this.appLimit;
    this.byEndpoint.set(endpoint, limit);
    return limit;
  }

  /** Counts a failure of the store, and logs at most one per minute. */
  private recordFailure(error: unknown, { log }: AppSettings): void {
    this.storeErrors++;
    const outcome = this.config.onStoreError === "allow" ? "limited per worker" : "denied";
    this.logThrottled(() =>
      log.warn(`the store of the rate limit is unavailable; requests are ${outcome}`, { error }),
    );
  }
}

/**
 * Whether a request is exempt, by its route or its path. Requests that look like preflights are not exempt: preflights that reach the limit are passed to
 * the program, so a client could use them to guess passwords.
 */
const isExempt = (request: HttpRequest, isExemptPath: (path: string) => boolean): boolean =>
  request.endpoint?.exempt.includes("limits") === true || isExemptPath(request.path);

/** Returns the app's record with the route's overrides. */
const mergeConfig = (config: Readonly<RateLimitConfig>, own: RouteLimit): Readonly<RateLimitConfig> => ({
  ...config,
  ...givenFields(own),
});
