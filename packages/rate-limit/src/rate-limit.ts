import {
  explainedBy,
  type AddsRouteOptions,
  type ConfigInput,
  coversPath,
  type Feature,
  type ImpliedReply,
  waitsOnce,
} from "@framework/core/feature";
import type { HttpRequest, Problem, RouteInfo } from "@framework/core";
import type { Limit } from "./limit.ts";
import { limitPanel } from "./limit-panel.ts";
import { withReasons } from "./limit-reasons.ts";
import { SeenClients } from "./seen-clients.ts";
import { limitCalls } from "./limit-calls.ts";
import { limitRequests } from "./limit-requests.ts";
import { adaptiveProblems, RateLimitConfig, routeLimitProblem } from "./rate-limit-config.ts";
import { quotaFields } from "./quota-fields.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { publishMetrics } from "./rate-limit-metrics.ts";
import type { RateLimitRouteOptions } from "./route-limit.ts";

/** Members that the feature adds to an app. */
export interface RateLimit extends AddsRouteOptions<RateLimitRouteOptions> {
  /**
   * Limits the requests of each client, by default 100 per 60 s. A route's `rateLimit` option replaces the limit; `false` disables it.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableRateLimit(config?: ConfigInput<RateLimitConfig>): this;
}

/**
 * Denies clients above their limit with 429 and `Retry-After`, before authentication and before any body is read.
 *
 * Limits are exact across workers. Health, metrics and docs are never limited, nor preflights that `enableCors` answers. Every limited reply carries
 * `RateLimit-Policy`, `RateLimit` and the `X-RateLimit-*` fields.
 *
 * @example
 * const app = new (App.with(rateLimit))().enableRateLimit(RateLimitConfig.tokenBucket(100, 60));
 * app.post("/login", { rateLimit: { maxRequests: 5 } }, login);
 */
export const rateLimit: Feature<RateLimit> = {
  name: "rate-limit",
  install: (host) => {
    const option = host.http.routeOption("rateLimit", routeLimitProblem);
    return {
      enableRateLimit(config) {
        const record = host.configure(RateLimitConfig, config);
        host.check(() => {
          const limits = [record, ...host.http.routes().map((route) => option.of(route) || null)];
          return limits.some((limit) => limit?.algorithm === "adaptive") ? [] : adaptiveProblems(config);
        });
        const limiter = new RateLimiter(record, option);
        const { reasons } = host.insight;
        const limitOf = (request: HttpRequest): Limit | null => limiter.limitOf(request);
        const middleware = limitRequests({
          limitOf,
          take: (limit, key) => limiter.take(limit, key),
          replyTo: host.http.replyTo,
        });
        const seen = new SeenClients();
        const explaining = withReasons(middleware, { limitOf, reasons, seen });
        host.http.use("rate-limit", explainedBy(waitsOnce(middleware), explaining));
        host.insight.panel(limitPanel(limiter, seen));
        host.entries.protect("rate-limit", (entry) => limitCalls(limiter, entry));
        const implied = record.onStoreError === "deny" ? [tooManyRequests, undecided] : [tooManyRequests];
        const isExemptPath = coversPath(record.exemptPaths);
        const isExempt = (route: Omit<RouteInfo, "auth">): boolean =>
          option.of(route) === false || isExemptPath(route.path);
        host.http.impliesReplies((route) => (isExempt(route) ? [] : implied));
        host.http.usesFields((route) => (isExempt(route) ? [] : quotaFields));
        host.life.onStart({
          name: "rate limit",
          run: (settings) => limiter.start(host.http.routes(), host.state.shared, settings),
        });
        host.life.onStop({ name: "rate limit", run: (_, deadline) => limiter.stop(deadline) });
        host.advise(({ severalHosts, sharedPorts }) =>
          severalHosts && record.store === "workers" && !sharedPorts.includes("permits") ? [oneHost] : [],
        );
        publishMetrics(host, limiter);
        return this;
      },
    };
  },
};

const oneHost: Problem = {
  code: "RATE_LIMIT_ONE_HOST",
  message:
    "each host counts its own requests, so clients get the limit once per host; share the state with enableRedis({ shared: true }), or pass a store",
};

const tooManyRequests: ImpliedReply = {
  status: 429,
  description: "The rate limit is exceeded.",
  headers: { "Retry-After": { description: "Seconds to wait before retrying.", type: "integer" } },
};

const undecided: ImpliedReply = {
  status: 503,
  description: "The rate limit is temporarily unavailable.",
  headers: tooManyRequests.headers ?? {},
};
