import type { RouteOptionsOf } from "../routes/route-option.ts";
import type { Host } from "./host.ts";

/**
 * A plain object that adds methods to an app, and route options where `Methods` extends `AddsRouteOptions`.
 *
 * @example
 * export interface PoweredBy { enablePoweredBy(): this }
 * export const poweredBy: Feature<PoweredBy> = {
 *   name: "powered-by",
 *   install: (host) => ({
 *     enablePoweredBy() { host.http.use("headers", poweredByHeader()); return this; },
 *   }),
 * };
 */
export interface Feature<Methods extends object = object, Needs extends object = object> {
  /** Name in messages and of its routes, such as `rate-limit`. */
  readonly name: string;
  /** Run-time counterpart of `Needs`, for untyped programs: an app without these members throws CORE_FEATURE_MISSING. @default nothing */
  readonly requires?: FeatureRequirement;
  /**
   * Called once per app, in the order of `App.with`, without I/O. A getter among the methods stays a getter.
   *
   * @param needs the methods of all earlier features, including `Needs`
   */
  install(host: Host<RouteOptionsOf<Methods>>, needs: Needs): Methods;
}

/** Members that earlier features of `App.with` must have added. */
export interface FeatureRequirement {
  /** Their names, such as `db`. */
  readonly members: readonly string[];
  /** Code for the message, such as `App.with(database, durable)`. */
  readonly example: string;
}

/** Any feature. */
export type AnyFeature = Feature<object, never>;

/** The methods that a feature adds. */
export type MethodsOf<F> = F extends Feature<infer M, never> ? M : never;

/** The methods that a list of features adds. */
export type InstalledMethods<Fs extends readonly AnyFeature[]> = Fs extends readonly [
  infer F,
  ...infer Rest extends readonly AnyFeature[],
]
  ? MethodsOf<F> & InstalledMethods<Rest>
  : object;

/** The list itself when earlier features meet each feature's needs; else a type whose `needs` names the missing methods. */
export type SatisfiedFeatures<Have, Fs extends readonly AnyFeature[]> = Fs extends readonly [
  infer F extends AnyFeature,
  ...infer Rest extends readonly AnyFeature[],
]
  ? F extends Feature<infer M, infer N>
    ? [Have] extends [N]
      ? [F, ...SatisfiedFeatures<Have & M, Rest>]
      : [
          Feature<M> & { readonly needs: Exclude<keyof N & string, keyof Have> },
          ...SatisfiedFeatures<Have & M, Rest>,
        ]
    : never
  : [];
