import type { RouteInfo } from "./route.ts";

/** Says at start what is wrong with a route's value of an option; `null` when nothing is. */
export type OptionCheck<Value> = (value: Value, route: Omit<RouteInfo, "auth">) => string | null;

/** Reads an option of routes for the feature that owns it. */
export interface RouteOption<Value> {
  readonly name: string;
  /** The value that a route has, which the check accepted at start; `undefined` where it has none, and for no route. */
  of(route: Pick<RouteInfo, "options"> | null): Value | undefined;
}

declare const added: unique symbol;
declare const needed: unique symbol;

/**
 * What an interface of methods extends when its feature also owns options of routes: optional members of `Options`, each with its docblock. The routes of
 * every app that is composed with the feature take them. Nothing of this exists at run time.
 *
 * @example
 * export interface Tenancy extends AddsRouteOptions<{ readonly tenant?: string | false }> {
 *   enableTenancy(): this;
 * }
 */
export interface AddsRouteOptions<Options> {
  readonly [added]?: Options;
}

/** Marks the type of routes that may use these options; nothing exists at run time. */
export interface NeedsRouteOptions<Options> {
  /** A parameter, so that the routes fit apps with at least these options. */
  readonly [needed]?: ((options: Required<Options>) => void) | undefined;
}

/** Stands for the options of an app whose features have none, so that the compiler's message about an option says so. */
export interface NoFeatureOptions {}

/** The route options that the features of an app own. */
export type RouteOptionsOf<A> =
  A extends AddsRouteOptions<infer Options>
    ? unknown extends Options
      ? NoFeatureOptions
      : Options
    : NoFeatureOptions;
