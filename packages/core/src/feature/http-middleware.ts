import type { AuthDescription } from "../insight/auth-description.ts";
import { type Middleware, type MiddlewareObject, middlewareObject } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { Host } from "./host.ts";

/** A middleware object for HTTP that may take part in the app's life, such as an authentication with `skipPath`. */
export interface HttpMiddlewareObject extends MiddlewareObject<HttpRequest, Response> {
  /** Called once per app, when the middleware is added: registers start tasks, metrics and configuration problems. */
  install?(host: Host): void;
  /** Describes how callers authenticate, for the API document; called at start or later. */
  describeAuth?(): AuthDescription;
}

/** Middleware for `app.use` and `blueprint.use`. */
export type HttpMiddleware = Middleware<HttpRequest, Response> | HttpMiddlewareObject;

/** Returns the object that a middleware was created from, `undefined` for a plain function. */
export const httpMiddlewareObject = (
  middleware: Middleware<HttpRequest, Response>,
): HttpMiddlewareObject | undefined => middlewareObject(middleware);
