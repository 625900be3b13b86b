import type { Injections } from "../dependencies/token.ts";
import type { Guard } from "../guards/guard.ts";
import type { AuthDescription } from "../insight/auth-description.ts";
import type { Handler, Middleware } from "../middleware/middleware.ts";
import type { ErrorStatus } from "../http/reason-phrase.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { InferOutput, StandardSchema } from "../validation/standard-schema.ts";
import type { Exemption } from "./exemption.ts";
import type { Place } from "../routing/route-place.ts";

/** Methods that a route may be registered for. */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "QUERY";

/** A schema of any library that follows Standard Schema, or none. */
export type MaybeSchema = StandardSchema | undefined;

/** Schemas of replies, by status, by class of statuses, and for all others, as in OpenAPI. */
export type ResponseSchemas = Readonly<Record<number, StandardSchema>> & {
  readonly [Key in "2XX" | "3XX" | "4XX" | "5XX" | "default"]?: StandardSchema;
};

/** Options of a route, besides its path and handler. The features of an app add their own. */
export interface RouteOptions<
  Params extends MaybeSchema = MaybeSchema,
  Query extends MaybeSchema = MaybeSchema,
  Body extends MaybeSchema = MaybeSchema,
  Inject extends Injections | undefined = Injections | undefined,
> {
  /** Schema of the path parameters; the result is `request.input.params`. */
  readonly params?: Params;
  /** Schema of the query: single values are strings, repeated values are arrays; the result is `request.input.query`. */
  readonly query?: Query;
  /** Schema of the body: JSON, or a form's fields with its files as web `File`s; the result is `request.input.body`. */
  readonly body?: Body;
  /**
   * Schemas of JSON replies by status. Clients get the schema's output, without members that it does not list; a reply that it rejects is a 500. `"4XX"`
   * applies to statuses from 400 to 499 without a schema, `default` to all other statuses without one, success included. Costs a parse and a validation per
   * reply.
   */
  readonly responses?: ResponseSchemas;
  /**
   * Statuses of errors that the handler throws, such as `[404, 409]`, for the API document: each has the error body of the app. Errors of core and features are
   * listed automatically; a status with another body belongs in `responses`.
   */
  readonly errors?: readonly ErrorStatus[];
  /** Dependencies, passed to the handler as its second argument. */
  readonly inject?: Inject;
  /** Guards of this route; they run after the app's and the blueprints' guards. */
  readonly guards?: readonly Guard<HttpRequest>[];
  /** Groups in the API document. */
  readonly tags?: readonly string[];
  /** One line for the API document and `app.routes`. */
  readonly summary?: string;
  /** Longer text for the API document. */
  readonly description?: string;
  /** Operation name, unique in an app. */
  readonly name?: string;
  /** Body limit of this route, in bytes. @default `LimitsConfig.maxBodyBytes` */
  readonly maxBodyBytes?: number;
  /**
   * Seconds that guards, input validation and handler share until the client gets 504, or 408 if its body was slow; a day at most.
   * @default `TimeoutConfig.handlerSecs`
   */
  readonly timeoutSecs?: number;
}

/** Type of `request.input`, derived from the schemas of a route. */
export interface InputOf<Params extends MaybeSchema, Query extends MaybeSchema, Body extends MaybeSchema> {
  readonly params: OutputOf<Params>;
  readonly query: OutputOf<Query>;
  readonly body: OutputOf<Body>;
}

type OutputOf<S extends MaybeSchema> = S extends StandardSchema ? InferOutput<S> : undefined;

/** The type of a registered handler. */
export type RouteHandler = (request: HttpRequest, ...dependencies: readonly never[]) => unknown;

/** One registered route before compilation. */
export interface RouteDefinition {
  /** Method of the route. */
  readonly method: Method;
  /** Pattern with the prefixes of its blueprints. */
  readonly path: string;
  /** Options from the program: the route's own, and the options of its blueprints that the route does not override. */
  readonly options: RouteOptions;
  /** Options of the route itself, without the options of its blueprints. */
  readonly ownOptions: RouteOptions;
  readonly handler: RouteHandler;
  readonly place: Place;
  /** Guards of its blueprints, outermost first. */
  readonly guards: readonly Guard<HttpRequest>[];
  /** Middleware of its blueprints, outermost first. */
  readonly middleware: readonly Middleware<HttpRequest, Response>[];
  /** Tags of its blueprints, then its own. */
  readonly tags: readonly string[];
  /** Name of the feature that added it; `null` for the program's routes and routes with `isProgramRoute`. */
  readonly addedBy: string | null;
  /** Its exemptions; empty for the program's routes. */
  readonly exempt: readonly Exemption[];
}

/** A compiled route, available as `request.endpoint`. */
export interface Endpoint {
  /** Method of the route. */
  readonly method: Method;
  /** Pattern as written, including prefixes. */
  readonly pattern: string;
  /** Options of the program. */
  readonly options: RouteOptions;
  /** Tags of its blueprints, then its own. */
  readonly tags: readonly string[];
  /** Name of the feature that added it, `null` for the program's routes. */
  readonly addedBy: string | null;
  /** Its exemptions; empty for the program's routes. */
  readonly exempt: readonly Exemption[];
  /** Whether any guards check its requests: of the app, of its blueprints or its own. */
  readonly guarded: boolean;
  /** Serves a request through the whole chain around the handler. */
  readonly handle: Handler<HttpRequest, Response>;
}

/** The description of a route for features. */
export interface RouteInfo extends Pick<
  RouteDefinition,
  "method" | "path" | "options" | "ownOptions" | "tags" | "addedBy" | "exempt"
> {
  /** Guards of the app and of its blueprints, outermost first; its own are in its options. */
  readonly guards: readonly Guard<HttpRequest>[];
  /**
   * The authentications that callers must all pass, outermost first; an authentication that skips the path is not listed. If none is listed, but a guard
   * reads the caller, these are the identities that features provide.
   */
  readonly auth: readonly AuthDescription[];
}
