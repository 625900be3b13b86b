import type { Handler, HttpRequest, Response } from "@framework/core";
import type { Directives } from "../rules/cache-control.ts";
import type { RoutePlan } from "./route-plan.ts";

/** The state of one request in the cache. */
export interface Ask {
  readonly request: HttpRequest;
  readonly next: Handler<HttpRequest, Response>;
  readonly plan: RoutePlan;
  readonly key: string;
  readonly directives: Directives;
  readonly identity: boolean;
  /** Number of calls it has waited for. */
  readonly round: number;
}
