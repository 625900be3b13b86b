import type { App } from "./app.ts";
import type { Guard } from "./guards/guard.ts";
import type { HttpMiddleware } from "./feature/http-middleware.ts";
import { type Middleware, toMiddleware } from "./middleware/middleware.ts";
import type { HttpRequest } from "./request/http-request.ts";
import type { Response } from "./response/response.ts";
import { inGroup, RouteMethods } from "./routes/route-methods.ts";
import type { NeedsRouteOptions, RouteOptionsOf } from "./routes/route-option.ts";
import type { RouteDefinition } from "./routes/route.ts";

/** Options shared by every route of a blueprint. */
export interface BlueprintOptions {
  /** Run after the app's guards and before the routes' own. */
  readonly guards?: readonly Guard<HttpRequest>[];
  /** Added to each route's tags. */
  readonly tags?: readonly string[];
}

/** A blueprint that an app of type `A` can register: its routes use only options of features that the app has. */
export type BlueprintFor<A extends object> = Pick<Blueprint<string, A>, "definitions">;

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
  /** The path before all its routes, parameters included. */
  readonly prefix: Prefix;
  private readonly guards: Guard<HttpRequest>[];
  private readonly tags: readonly string[];
  private readonly middleware: Middleware<HttpRequest, Response>[] = [];
  private readonly routes: RouteDefinition[] = [];

  constructor(prefix: Prefix, { guards = [], tags = [] }: BlueprintOptions = {}) {
    super();
    this.prefix = prefix;
    this.guards = [...guards];
    this.tags = tags;
  }

  /** Adds a guard to all its routes. */
  addGuard(guard: Guard<HttpRequest>): this {
    this.guards.push(guard);
    return this;
  }

  /** Adds middleware around its matched routes, in the order added; outside the guards. */
  use(middleware: HttpMiddleware): this {
    this.middleware.push(toMiddleware(middleware));
    return this;
  }

  /** Adds copies of another blueprint's routes below this one's prefix. */
  registerBlueprint(blueprint: BlueprintFor<A>): this {
    this.routes.push(...blueprint.definitions());
    return this;
  }

  /** The routes with prefix, guards, tags and middleware applied. */
  definitions(): readonly RouteDefinition[] & NeedsRouteOptions<RouteOptionsOf<A>> {
    const { prefix, guards, middleware, tags } = this;
    return this.routes.map((route) => inGroup({ prefix, guards, middleware, tags }, route));
  }

  protected override addRoute(route: RouteDefinition): void {
    this.routes.push(route);
  }
}
