import type { App } from "./app.ts";
import { isPlainObject } from "./config/wrong-value.ts";
import { FrameworkError } from "./errors/framework-error.ts";
import type { AnyFeature, InstalledMethods } from "./feature/feature.ts";
import { assertFeatures, blueprintProblem } from "./kernel/argument-problems.ts";
import { type InstalledRoutes, type NeedsMethods, routeMethodsOf } from "./feature/route-feature.ts";
import type { Guard } from "./guards/guard.ts";
import type { HttpMiddleware } from "./feature/http-middleware.ts";
import { type Middleware, toMiddleware } from "./middleware/middleware.ts";
import type { HttpRequest } from "./request/http-request.ts";
import type { Response } from "./response/response.ts";
import { type BlueprintEntry, recordCall } from "./routes/route-call.ts";
import { inGroup, joinGroups, RouteMethods } from "./routes/route-methods.ts";
import type { NeedsRouteOptions, RouteOptionsOf } from "./routes/route-option.ts";
import type { RouteDefinition, RouteOptions } from "./routes/route.ts";

/** Options shared by every route of a blueprint. */
export interface BlueprintOptions {
  /** Run after the app's guards and before the guards of the routes. */
  readonly guards?: readonly Guard<HttpRequest>[];
  /** Added to the tags of each route. */
  readonly tags?: readonly string[];
}

/** A blueprint that an app of type `A` can register: its routes use only options and methods of features that the app has. */
export type BlueprintFor<A extends object> = Pick<Blueprint<string, A>, "definitions"> & NeedsMethods<A>;

/** A class of blueprints with the route methods and route options of features. */
export type BlueprintClass<Fs extends readonly AnyFeature[]> = new <
  const Prefix extends string = string,
  A extends object = App & InstalledMethods<Fs>,
>(
  prefix: Prefix,
  options?: BlueprintOptions & RouteOptionsOf<A>,
) => Blueprint<Prefix, A> &
  InstalledRoutes<Fs> &
  NeedsMethods<{ readonly [Name in keyof InstalledRoutes<Fs>]: unknown }>;

/**
 * A group of routes under one prefix, with its own guards, tags and middleware; may contain other blueprints.
 *
 * The prefix may contain parameters, which are typed in its routes. Registration copies the routes; later ones are ignored.
 *
 * @example
 * const orgs = new Blueprint("/orgs/{org}");
 * orgs.get("/users/{id}", (request) => request.params); // { org: string; id: string }
 * app.registerBlueprint(orgs);
 */
export class Blueprint<const Prefix extends string = string, A extends object = App> extends RouteMethods<
  Prefix,
  A
> {
  /** The features of this class. */
  static readonly features: readonly AnyFeature[] = [];

  /**
   * Creates a class of blueprints whose routes can use the features: their route options and, such as `websocket`, their methods that register routes.
   *
   * Calls of these methods are repeated on each app that registers the blueprint. Registration on an app without the feature is a compile error and a start
   * error. The constructor also takes the features' route options, as defaults of all routes: an option of a route replaces the option of its blueprint.
   *
   * @throws CORE_BAD_ARGUMENT for a value that is not a feature; `new` throws CORE_METHOD_TAKEN for two methods of the same name
   *
   * @example
   * const chat = new (Blueprint.with(websocket))("/orgs/{org}", { guards: [isMember] });
   * chat.websocket("/rooms/{room}", (socket, { params }) => socket.sendText(`${params.org}: ${params.room}`));
   */
  static with<const Fs extends readonly AnyFeature[]>(...features: Fs): BlueprintClass<Fs> {
    assertFeatures("Blueprint.with", features);
    class Composed extends this {
      static override readonly features: readonly AnyFeature[] = [
        ...new Set([...super.features, ...features]),
      ];
    }
    return Composed as never; // blueprint-with.test-d.ts checks the type of this cast
  }

  /** Path prefix of all its routes, parameters included. */
  readonly prefix: Prefix;
  private readonly guards: Guard<HttpRequest>[];
  private readonly tags: readonly string[];
  private readonly routeOptions: RouteOptions;
  private readonly middleware: Middleware<HttpRequest, Response>[] = [];
  private readonly entries: BlueprintEntry[] = [];

  constructor(prefix: Prefix, options?: BlueprintOptions & RouteOptionsOf<A>) {
    super();
    const { guards = [], tags = [], ...routeOptions }: BlueprintOptions = options ?? {};
    if (!isPlainObject(options ?? {}) || !Array.isArray(guards) || !Array.isArray(tags))
      throw new FrameworkError(
        "CORE_BAD_ARGUMENT",
        `new Blueprint("${prefix}") takes an object of options, whose guards and tags are lists`,
      );
    this.prefix = prefix;
    this.guards = [...guards];
    this.tags = tags;
    this.routeOptions = routeOptions;
    for (const feature of new.target.features) this.addMethods(feature);
  }

  /** Adds a guard to all its routes. */
  addGuard(guard: Guard<HttpRequest>, ...more: readonly never[]): this {
    this.guards.push(guard, ...more);
    return this;
  }

  /** Adds middleware around its matched routes, in the order added; outside the guards. */
  use(middleware: HttpMiddleware, ...more: readonly never[]): this {
    this.middleware.push(...[middleware, ...more].map(toMiddleware));
    return this;
  }

  /** Adds copies of another blueprint's routes below this one's prefix. */
  registerBlueprint(blueprint: BlueprintFor<A>): this {
    const problem = blueprintProblem(blueprint);
    if (problem !== null) throw new FrameworkError(problem.code, problem.message);
    this.entries.push(...blueprint.definitions());
    return this;
  }

  /** The routes, and the calls of features' methods, with prefix, guards, tags, middleware and options applied. */
  definitions(): readonly BlueprintEntry[] & NeedsRouteOptions<RouteOptionsOf<A>> {
    const { prefix, guards, middleware, tags, routeOptions: options } = this;
    const group = { prefix, guards, middleware, tags, options };
    return this.entries.map((entry) =>
      "args" in entry ? { ...entry, ...joinGroups(group, entry) } : inGroup(group, entry),
    );
  }

  protected override addRoute(route: RouteDefinition): void {
    this.entries.push(route);
  }

  private addMethods(feature: AnyFeature): void {
    for (const name of routeMethodsOf(feature)) {
      if (name in this)
        throw new FrameworkError(
          "CORE_METHOD_TAKEN",
          `${feature.name}: blueprints already have a method named ${name}`,
        );
      const value = (...args: readonly unknown[]): void =>
        void this.entries.push(recordCall(feature.name, name, args));
      Object.defineProperty(this, name, { value });
    }
  }
}
