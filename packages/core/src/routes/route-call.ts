import { type Place, registrationPlace } from "../routing/route-place.ts";
import type { RouteGroup } from "./route-methods.ts";
import type { RouteDefinition } from "./route.ts";

/** A call of a feature's route method on a blueprint, repeated on each app that registers the blueprint. */
export interface RouteCall extends RouteGroup {
  /** Name of the feature. */
  readonly feature: string;
  /** Name of the method. */
  readonly method: string;
  readonly args: readonly unknown[];
  /** Source location of the call. */
  readonly place: Place;
}

/** An entry of a blueprint: a route, or a recorded call. */
export type BlueprintEntry = RouteDefinition | RouteCall;

/** Records a call, outside any group. */
export const recordCall = (feature: string, method: string, args: readonly unknown[]): RouteCall => ({
  feature,
  method,
  args,
  place: registrationPlace(),
  prefix: "",
  guards: [],
  middleware: [],
  tags: [],
  options: {},
});
