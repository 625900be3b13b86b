import type { Handler, HttpRequest, Response } from "@framework/core";
import type { Directives } from "../rules/cache-control.ts";
import type { RoutePlan } from "./route-plan.ts";

/** One request on its way through the cache. */
export interface Ask {
  readonly request: HttpRequest;
  readonly next: Handler<HttpRequest, Response>;
  readonly plan: RoutePlan;
  readonly key: string;
  readonly directives: Directives;
  readonly identity: boolean;
  /** Calls it has waited for already. */
  readonly round: number;
}
