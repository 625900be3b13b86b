import type { Middleware, MiddlewareObject } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";

/** Options of routes that features add on behalf of the program. */
export interface ProgramRouteOption {
  /**
   * Whether the route belongs to the program, such as the endpoint of a command that the program defined: it is in the API document, and its replies may be
   * cached. @default false
   */
  readonly isProgramRoute?: boolean;
  /** Middleware around the route, such as an authentication, outermost first; like a blueprint's middleware, it runs before the guards. @default none */
  readonly use?: readonly (Middleware<HttpRequest, Response> | MiddlewareObject<HttpRequest, Response>)[];
}
