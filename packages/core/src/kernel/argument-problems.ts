import { isClass, isPlainObject, describeValue } from "../config/wrong-value.ts";
import type { Problem } from "../errors/configuration-error.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { isPromise, type Middleware, middlewareObject } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { isErrorClass } from "../pipeline/exception-handlers.ts";

/** Creates the problem of an argument with the wrong type, such as untyped programs can pass. */
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
      `${at}: a route takes a path, an object of options and a handler; pass guards in the option guards, and middleware to blueprint.use or app.use`,
    );
  if (options.guards !== undefined && !Array.isArray(options.guards))
    return badArgument(`${at}: guards must be a list, such as [isAdmin]`);
  return middleware.every(isMiddleware)
    ? null
    : badArgument(`${at}: blueprint.use takes a function or an object with handle; a class needs new`);
};

/** Returns the problem of a value that was passed as a token, or `null`. */
export const tokenProblem = (call: string, token: unknown): Problem | null => {
  const name = (token as { name?: unknown } | null | undefined)?.name;
  if (typeof token === "object" && typeof name === "string") return null;
  const found = typeof token === "string" ? `the string ${JSON.stringify(token.slice(0, 40))}` : typeof token;
  return badArgument(
    call === "registerSingleton"
      ? `${call} takes a name or a token, such as dependency("db"), but got ${found}`
      : `${call} takes a token, such as dependency("db"), but got ${found}; a plain name works with registerSingleton`,
  );
};

/** Returns the problem of the arguments of `registerSingleton`, or `null`. */
export const singletonProblem = (name: unknown, value: unknown): Problem | null => {
  const problem = typeof name === "string" ? null : tokenProblem("registerSingleton", name);
  if (problem !== null || !isPromise(value)) return problem;
  return badArgument(
    `registerSingleton takes a finished value, but the value of "${typeof name === "string" ? name : (name as { name: string }).name}" is a promise; await it first, or pass provide a function that returns it`,
  );
};

/** Returns the problem of a value that was passed as the provider of a dependency, or `null`. */
export const providerProblem = (name: string, provider: unknown): Problem | null => {
  const create = (provider as { create?: unknown } | null | undefined)?.create;
  if (typeof (typeof provider === "function" ? provider : create) === "function" && !isClass(provider))
    return null;
  return badArgument(
    `provide of "${name}" takes a function, or an object with create, that creates the value; registerSingleton takes a finished value`,
  );
};

/** Returns the problem of the arguments of `exceptionHandler`, or `null`. */
export const exceptionHandlerProblem = (errorClass: unknown, handler: unknown): Problem | null =>
  isErrorClass(errorClass) && typeof handler === "function" && !isClass(handler)
    ? null
    : badArgument(
        "exceptionHandler takes a class of errors and a function, such as exceptionHandler(NotFoundError, (request, error) => …)",
      );

/** @throws CORE_BAD_ARGUMENT for a value that is not a feature */
export const assertFeatures = (call: string, features: readonly unknown[]): void => {
  const index = features.findIndex((feature) => !isFeature(feature));
  if (index === -1) return;
  const hint =
    features[index] === undefined
      ? "; an import that does not exist, or one in a circular import, is undefined"
      : "";
  const { code, message } = badArgument(
    `${call} takes features, such as ${call}(cors), but argument ${index + 1} is ${describeValue(features[index])}${hint}`,
  );
  throw new FrameworkError(code, message);
};

const isFeature = (value: unknown): boolean => {
  const { name, install } = Object(value) as { name?: unknown; install?: unknown };
  return typeof name === "string" && typeof install === "function";
};

/** Returns the problem of a value that was passed as a blueprint, or `null`. */
export const blueprintProblem = (blueprint: unknown): Problem | null =>
  typeof (blueprint as { definitions?: unknown } | null | undefined)?.definitions === "function"
    ? null
    : badArgument("registerBlueprint takes a Blueprint");

/** `toMiddleware` wraps any value in a function, and remembers the value. */
const isMiddleware = (middleware: Middleware<HttpRequest, Response>): boolean => {
  const object: unknown = middlewareObject(middleware);
  if (object === undefined) return !isClass(middleware);
  return typeof (object as { handle?: unknown } | null)?.handle === "function";
};
