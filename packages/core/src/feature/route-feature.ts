import type { RegisterRoute } from "../routes/route-methods.ts";
import type { AnyFeature, Feature } from "./feature.ts";

declare const routes: unique symbol;
declare const needed: unique symbol;

/**
 * A feature whose methods register routes, such as `websocket`: blueprints composed with it also have these methods.
 *
 * A blueprint records their calls. When an app registers the blueprint, the app's own methods are called, and the routes that the feature adds with
 * `host.http.route` meanwhile get the blueprint's prefix, guards, tags and middleware. `Routes` declares the methods of a blueprint, with
 * `PrefixOf<this>` and `AppOf<this>` in their types.
 *
 * @example
 * export interface PingRoutes {
 *   ping<const P extends string>(path: P, reply: (params: PathParams<`${PrefixOf<this>}${P}`>) => string): void;
 * }
 * export const ping: RouteFeature<PingRoutes, PingRoutes> = {
 *   name: "ping",
 *   routeMethods: ["ping"],
 *   install: (host) => ({ ping: (path, reply) => void host.http.route("GET", path, ({ params }) => reply(params as never)) }),
 * };
 */
export interface RouteFeature<
  Methods extends Routes,
  Routes extends object,
  Needs extends object = object,
> extends Feature<Methods, Needs> {
  /** Names of the methods of `Routes`. */
  readonly routeMethods: readonly (keyof Routes & string)[];
  /** Carries the type; does not exist at run time. */
  readonly [routes]?: Routes;
}

/** The prefix of an app's or a blueprint's routes; empty for an app. */
export type PrefixOf<Routes> = Routes extends { readonly get: RegisterRoute<infer Prefix, infer _App> }
  ? Prefix
  : "";

/** The app that handlers of an app's or a blueprint's routes see as `request.app`. */
export type AppOf<Routes> = Routes extends { readonly get: RegisterRoute<infer _Prefix, infer App> }
  ? App
  : Routes;

/** The methods that a list of features adds to blueprints. */
export type InstalledRoutes<Fs extends readonly AnyFeature[]> = Fs extends readonly [
  infer F,
  ...infer Rest extends readonly AnyFeature[],
]
  ? RoutesOf<F> & InstalledRoutes<Rest>
  : object;

type RoutesOf<F> = F extends { readonly [routes]?: infer Routes }
  ? unknown extends Routes
    ? object
    : Routes
  : object;

/** Marks the type of a blueprint that only apps with these methods can register; does not exist at run time. */
export interface NeedsMethods<Methods> {
  readonly [needed]?: ((app: Methods) => void) | undefined;
}

/** Returns the names of the methods that a feature adds to blueprints. */
export const routeMethodsOf = (feature: AnyFeature): readonly string[] =>
  "routeMethods" in feature ? (feature as RouteFeature<object, object, never>).routeMethods : [];
