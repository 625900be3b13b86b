import type { HttpRequest, Middleware, Response } from "@framework/core";
import {
  explainedBy,
  type AddsRouteOptions,
  type ConfigInput,
  type Feature,
  mapOutput,
  waitsOnce,
} from "@framework/core/feature";
import { DeprecatedCalls } from "./calls.ts";
import { nameOf } from "./caller.ts";
import { DeprecationConfig } from "./deprecation-config.ts";
import { withReasons } from "./notice-reasons.ts";
import { announce, fieldsOf, type Notice, noticeOf } from "./notice.ts";
import {
  deprecatedProblem,
  type DeprecationRouteOptions,
  optionsOf,
  successorProblem,
  sunsetProblem,
} from "./route-options.ts";

/** The methods that the feature adds to an app. */
export interface Deprecation extends AddsRouteOptions<DeprecationRouteOptions> {
  /**
   * Announces, on every reply, the deprecation of routes and blueprints that have the options `deprecated`, `sunset` or `successor`, and counts their calls
   * by caller.
   *
   * @throws CORE_BAD_CONFIG and CORE_BAD_ROUTE at start, together with all other configuration errors
   */
  enableDeprecation(config?: ConfigInput<DeprecationConfig>): this;
}

/**
 * Announces to clients that routes are deprecated (RFC 9745), when they may stop working (RFC 8594) and their replacement (RFC 5829).
 *
 * @example
 * const app = new (App.with(deprecation))().enableDeprecation();
 * app.get("/v1/books", { deprecated: "2026-11-01", sunset: "2027-11-01", successor: "/v2/books" }, listBooks);
 */
export const deprecation: Feature<Deprecation> = {
  name: "deprecation",
  install: (host) => {
    let since: string | undefined;
    host.http.routeOption("deprecated", (value) => deprecatedProblem(value, since));
    host.http.routeOption("sunset", (value, route) => sunsetProblem(value, route, since));
    host.http.routeOption("successor", successorProblem);
    return {
      enableDeprecation(input) {
        const config = host.configure(DeprecationConfig, input);
        since = config.since;
        const notices = new Map<object, Notice>();
        const calls = new DeprecatedCalls(config.maxCallers);
        const announcing = announceAndCount(notices, calls, config);
        const { reasons } = host.insight;
        const noticeFor = ({ endpoint }: HttpRequest): Notice | undefined =>
          endpoint === null ? undefined : notices.get(endpoint.options);
        host.http.use(
          "headers",
          explainedBy(waitsOnce(announcing), withReasons(announcing, noticeFor, config.callerOf, reasons)),
        );
        host.http.usesFields((route) => {
          const notice = noticeOf(optionsOf(route), since);
          return notice === null ? [] : fieldsOf(notice, config.policy);
        });
        host.life.onStart({
          name: "deprecation",
          run() {
            for (const route of host.http.routes()) {
              const notice = noticeOf(optionsOf(route), since);
              if (notice !== null) notices.set(route.options, notice);
            }
          },
        });
        host.insight.metric({
          name: "deprecated_requests_total",
          help: "Requests to deprecated routes, by route and caller.",
          type: "counter",
          read: () => calls.samples(),
        });
        return this;
      },
    };
  },
};

/** A request to a route that is not deprecated costs one map lookup. */
const announceAndCount = (
  notices: ReadonlyMap<object, Notice>,
  calls: DeprecatedCalls,
  { callerOf, policy }: DeprecationConfig,
): Middleware<HttpRequest, Response> =>
  function deprecation(request, next) {
    const { endpoint } = request;
    const notice = endpoint === null ? undefined : notices.get(endpoint.options);
    if (endpoint === null || notice === undefined) return next(request);
    const countAndAnnounce = (reply: Response): Response => {
      calls.add(endpoint, nameOf(callerOf(request)));
      return announce(reply, notice, request, policy);
    };
    return mapOutput(next(request), countAndAnnounce, null);
  };
