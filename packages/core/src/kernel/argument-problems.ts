import { isClass, isPlainObject } from "../config/wrong-value.ts";
import type { Problem } from "../errors/configuration-error.ts";
import { type Middleware, middlewareObject } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";

/** The problem of a call with a value of another type than its declaration says, which only programs without types can make. */
const badArgument = (message: string): Problem => ({ code: "CORE_BAD_ARGUMENT", message });

/** Returns the problem of a value that was passed as a middleware, or `null`. */
export const middlewareProblem = (middleware: Middleware<HttpRequest, Response>): Problem | null =>
  isMiddleware(middleware)
    ? null
    : badArgument("use takes a function or an object with handle; a class needs new");

/** Returns the problem of a route that cannot be compiled because of the types of its parts, or `null`. */
export const routeArgumentProblem = (route: RouteDefinition): Problem | null => {
  const { method, path, options, ownOptions, middleware, place } = route;
  const at = `${method} ${String(path)} (at ${place.toString()})`;
  if (typeof path !== "string") return badArgument(`${at}: the path must be a string, such as "/books/{id}"`);
  if (!isPlainObject(ownOptions))
    return badArgument(
      `${at}: a route takes a path, an object of options and a handler; guards go to the option guards, middleware to use of a blueprint or the app`,
    );
  if (options.guards !== undefined && !Array.isArray(options.guards))
    return badArgument(`${at}: guards must be a list, such as [isAdmin]`);
  return middleware.every(isMiddleware)
    ? null
    : badArgument(`${at}: use of its blueprint takes a function or an object with handle; a class needs new`);
};

/** Returns the problem of a value that was passed as the name of a dependency, or `null`. */
export const tokenProblem = (call: string, token: unknown): Problem | null => {
  const name = (token as { name?: unknown } | null | undefined)?.name;
  if (typeof token === "object" && typeof name === "string") return null;
  const found = typeof token === "string" ? `the string ${JSON.stringify(token.slice(0, 40))}` : typeof token;
  return badArgument(
    `${call} takes a token, such as dependency("db"), but got ${found}; a plain name works with registerSingleton`,
  );
};

/** Returns the problem of a value that was passed as a blueprint, or `null`. */
export const blueprintProblem = (blueprint: unknown): Problem | null =>
  typeof (blueprint as { definitions?: unknown } | null | undefined)?.definitions === "function"
    ? null
    : badArgument("registerBlueprint takes a Blueprint");

/** `toMiddleware` converts anything to a function, and keeps what it converted. */
const isMiddleware = (middleware: Middleware<HttpRequest, Response>): boolean => {
  const object: unknown = middlewareObject(middleware);
  if (object === undefined) return !isClass(middleware);
  return typeof (object as { handle?: unknown } | null)?.handle === "function";
};
