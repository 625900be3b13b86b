import type { Handler, HttpRequest, Response } from "@framework/core";
import type { Directives } from "@framework/core/http";
import type { RoutePlan } from "./route-plan.ts";

/** The state of one request in the cache. */
export interface RequestState {
  readonly request: HttpRequest;
  readonly next: Handler<HttpRequest, Response>;
  readonly plan: RoutePlan;
  readonly key: string;
  readonly directives: Directives;
  readonly identity: boolean;
  /** Id of the caller whose reply this is; `null` if the route has no `per`, or `per` returned none. */
  readonly caller: string | number | null;
  /** Whether a request with an identity may use stored replies: on `shared` routes, or if `per` returned a caller. */
  readonly allowsIdentity: boolean;
  /** Number of shared calls that the request has waited for. */
  readonly round: number;
}
