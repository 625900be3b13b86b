import type { RouteInfo } from "./route.ts";

/** Returns the mistake in a route's value of an option; `null` for a valid value. Runs at start. */
export type OptionCheck<Value> = (value: Value, route: Omit<RouteInfo, "auth">) => string | null;

/** Reads an option of routes for the feature that owns it. */
export interface RouteOption<Value> {
  /** Name of the option. */
  readonly name: string;
  /** Returns the route's value, already checked at start; `undefined` without a value, and without a route. */
  of(route: Pick<RouteInfo, "options"> | null): Value | undefined;
}

declare const added: unique symbol;
declare const needed: unique symbol;

/**
 * Base of a feature's methods interface when the feature also owns route options: optional members of `Options`, each with its docblock. The routes of
 * every app composed with the feature accept them. This type does not exist at run time.
 *
 * @example
 * export interface Tenancy extends AddsRouteOptions<{ readonly tenant?: string | false }> {
 *   enableTenancy(): this;
 * }
 */
export interface AddsRouteOptions<Options> {
  readonly [added]?: Options;
}

/** Marks the type of routes that may use these options; does not exist at run time. */
export interface NeedsRouteOptions<Options> {
  /** A parameter, so that the routes fit apps with at least these options. */
  readonly [needed]?: ((options: Required<Options>) => void) | undefined;
}

/**
 * The route options that the features of an app own; `unknown` for none. An empty object type would disable the compiler's weak type detection, and a function
 * would be accepted as options.
 */
export type RouteOptionsOf<A> = A extends AddsRouteOptions<infer Options> ? Options : unknown;
