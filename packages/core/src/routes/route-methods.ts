import { givenFields } from "../config/given-fields.ts";
import { isPlainObject } from "../config/wrong-value.ts";
import type { DependenciesOf, Injections } from "../dependencies/token.ts";
import { MissingMethods } from "./missing-methods.ts";
import type { Guard } from "../guards/guard.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { HttpRequest, NoInput } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { PathParams } from "./path-params.ts";
import type { RouteOptionsOf } from "./route-option.ts";
import { type Place, registrationPlace } from "../routing/route-place.ts";
import type { InputOf, MaybeSchema, Method, RouteDefinition, RouteHandler, RouteOptions } from "./route.ts";

/** The path with its prefix. Without a prefix it is the path itself, so that a program's own `PathParams<P>` is the same type. */
type PrefixedPath<Prefix extends string, P extends string> = Prefix extends "" ? P : `${Prefix}${P}`;

/**
 * Registers a route for one method.
 *
 * The path's `{name}` segments become typed string members of `request.params`; `{*name}` matches the rest of the path. The handler's return value becomes the
 * reply. Five type parameters, one per inferred type: with fewer, the compiler loses its "did you mean" for a misspelt option. The handler's type is a
 * conditional of two complete function types: with rest arguments, the compiler would not infer the type of `db = Depends(Db)` from its default. An alias for
 * it would cost 12 instantiations per route. `NonNullable` makes `any` a list of dependencies: the compiler compares with `any` for `Parameters<App["get"]>`.
 */
export interface RegisterRoute<Prefix extends string, A extends object> {
  <const P extends string>(
    path: P,
    handler: (request: HttpRequest<PathParams<PrefixedPath<Prefix, NoInfer<P>>>, NoInput, A>) => unknown,
  ): void;
  <
    const P extends string,
    Params extends MaybeSchema = undefined,
    Query extends MaybeSchema = undefined,
    Body extends MaybeSchema = undefined,
    Inject extends Injections | undefined = undefined,
  >(
    path: P,
    options: RouteOptions<Params, Query, Body, Inject> & RouteOptionsOf<A>,
    handler: [NonNullable<Inject>] extends [never]
      ? (
          request: HttpRequest<PathParams<PrefixedPath<Prefix, NoInfer<P>>>, InputOf<Params, Query, Body>, A>,
        ) => unknown
      : (
          request: HttpRequest<PathParams<PrefixedPath<Prefix, NoInfer<P>>>, InputOf<Params, Query, Body>, A>,
          dependencies: DependenciesOf<Inject>,
        ) => unknown,
  ): void;
}

/** The option specific to `route`. */
export interface RouteMethodsOption {
  /** The methods to register. @default ["GET"] */
  readonly methods?: readonly Method[];
}

/** Registers a route for several methods; `["GET"]` by default. */
export interface RegisterRoutes<Prefix extends string, A extends object> {
  <
    const P extends string,
    Params extends MaybeSchema = undefined,
    Query extends MaybeSchema = undefined,
    Body extends MaybeSchema = undefined,
    Inject extends Injections | undefined = undefined,
  >(
    path: P,
    options: RouteOptions<Params, Query, Body, Inject> & RouteOptionsOf<A> & RouteMethodsOption,
    handler: [NonNullable<Inject>] extends [never]
      ? (
          request: HttpRequest<PathParams<PrefixedPath<Prefix, NoInfer<P>>>, InputOf<Params, Query, Body>, A>,
        ) => unknown
      : (
          request: HttpRequest<PathParams<PrefixedPath<Prefix, NoInfer<P>>>, InputOf<Params, Query, Body>, A>,
          dependencies: DependenciesOf<Inject>,
        ) => unknown,
  ): void;
}

/** The route methods of apps and blueprints; a call does not change the app's type. */
export abstract class RouteMethods<Prefix extends string, A extends object> extends MissingMethods {
  /** Registers a handler for GET, and for HEAD unless HEAD has its own handler. */
  readonly get: RegisterRoute<Prefix, A> = this.register("GET");
  /** Registers a handler for POST. */
  readonly post: RegisterRoute<Prefix, A> = this.register("POST");
  /** Registers a handler for PUT. */
  readonly put: RegisterRoute<Prefix, A> = this.register("PUT");
  /** Registers a handler for PATCH. */
  readonly patch: RegisterRoute<Prefix, A> = this.register("PATCH");
  /** Registers a handler for DELETE. */
  readonly delete: RegisterRoute<Prefix, A> = this.register("DELETE");
  /** Registers a handler for OPTIONS; by default, core replies with the allowed methods. */
  readonly options: RegisterRoute<Prefix, A> = this.register("OPTIONS");
  /** Registers a handler for HEAD, which replaces the handler for GET. */
  readonly head: RegisterRoute<Prefix, A> = this.register("HEAD");
  /** Registers a handler for QUERY, a safe method with a request body (RFC 10008). */
  readonly query: RegisterRoute<Prefix, A> = this.register("QUERY");
  /** Registers one handler for the methods of the option `methods`: `app.route("/e", { methods: ["GET", "POST"] }, handler)`. */
  readonly route: RegisterRoutes<Prefix, A> = (
    path: string,
    options: unknown,
    handler: unknown,
    ...more: unknown[]
  ): void => {
    const isRecord = more.length === 0 && isPlainObject(options ?? {});
    const { methods = ["GET"], ...given } = (isRecord ? (options ?? {}) : {}) as RouteOptions &
      RouteMethodsOption;
    const rest = isRecord ? given : invalidOptions(options, handler, ...more);
    const place = registrationPlace();
    for (const method of methodsOf(methods))
      this.addRoute(routeDefinition(method, path, rest, handler, place));
  };

  /** Adds one route to the registry. */
  protected abstract addRoute(route: RouteDefinition): void;

  private register(method: Method): RegisterRoute<Prefix, A> {
    return (path: string, optionsOrHandler: unknown, handler?: unknown, ...more: unknown[]): void => {
      const [given, run] = handler === undefined ? [{}, optionsOrHandler] : [optionsOrHandler ?? {}, handler];
      const options = more.length === 0 ? (given as RouteOptions) : invalidOptions(given, handler, ...more);
      this.addRoute(routeDefinition(method, path, options, run, registrationPlace()));
    };
  }
}

/** Keeps invalid arguments as options, so that `start` reports them: a middleware passed as in other frameworks would otherwise be ignored. */
const invalidOptions = (...given: unknown[]): RouteOptions => given as RouteOptions;

/** Returns the methods to register. An empty list, or a value that is not a list, becomes the method "", so that start reports the mistake and its place. */
const methodsOf = (given: unknown): readonly Method[] =>
  Array.isArray(given) && given.length > 0 ? given.map((method) => String(method) as Method) : ["" as Method];

const routeDefinition = (
  method: Method,
  path: string,
  options: RouteOptions,
  handler: unknown,
  place: Place,
): RouteDefinition => ({
  method,
  path,
  options,
  ownOptions: options,
  handler: handler as RouteHandler,
  place,
  guards: [],
  middleware: [],
  tags: options.tags ?? [],
  addedBy: null,
  exempt: [],
});

/** Additions of a group to each of its routes. */
export interface RouteGroup {
  readonly prefix: string;
  readonly guards: readonly Guard<HttpRequest>[];
  readonly middleware: readonly Middleware<HttpRequest, Response>[];
  readonly tags: readonly string[];
  /** Options of features; the options of a route override them. */
  readonly options: RouteOptions;
}

/** Returns a route with the additions of its group; the group's guards, middleware and tags precede the route's. */
export const inGroup = (group: RouteGroup, route: RouteDefinition): RouteDefinition => {
  const { path, guards, middleware, tags, options } = route;
  const { prefix, ...added } = joinGroups(group, { prefix: path, guards, middleware, tags, options });
  return { ...route, ...added, path: prefix };
};

/** Returns the additions of a group that is nested in another group. */
export const joinGroups = (outer: RouteGroup, inner: RouteGroup): RouteGroup => ({
  prefix: outer.prefix + inner.prefix,
  guards: [...outer.guards, ...inner.guards],
  middleware: [...outer.middleware, ...inner.middleware],
  tags: [...new Set([...outer.tags, ...inner.tags])],
  options: { ...outer.options, ...givenFields(inner.options) },
});
