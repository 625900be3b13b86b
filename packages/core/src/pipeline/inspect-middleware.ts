import type { AppSettings } from "../lifecycle/app-settings.ts";
import { isPromisedOutput, type Middleware, middlewareObject } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { ownReply, Response } from "../response/response.ts";
import { fromWebResponse, isWebResponse } from "../response/web-response.ts";
import { inspectReply } from "./inspect-json.ts";

type HttpMiddleware = Middleware<HttpRequest, Response>;

/**
 * Checks the replies of the program's middleware for values that JSON loses, and copies them, so a middleware may return one object repeatedly. Replies
 * of handlers are already checked and copied.
 */
export const inspectMiddleware =
  (settings: Pick<AppSettings, "debug" | "log">): ((middleware: HttpMiddleware) => HttpMiddleware) =>
  (middleware) => {
    const name = nameOf(middleware);
    const inspect = inspectReply(name, settings);
    const toReply = (output: unknown): Response => inspect(replyOfMiddleware(output, name));
    return (request, next) => {
      const output = middleware(request, next);
      return isPromisedOutput(output) ? output.then(toReply) : toReply(output);
    };
  };

/** Untyped middleware may return anything. @throws CORE_BAD_REPLY */
const replyOfMiddleware = (output: unknown, name: string): Response => {
  if (output instanceof Response) return ownReply(output);
  if (typeof output === "object" && output !== null && isWebResponse(output)) return fromWebResponse(output);
  const found = output === undefined || output === null ? "nothing" : "something else";
  const message = `${name} returned ${found} instead of a reply; return what \`next(request)\` returns, or a Response`;
  throw new FrameworkError("CORE_BAD_REPLY", message);
};

const nameOf = (middleware: HttpMiddleware): string => {
  const name = middlewareObject(middleware)?.constructor.name ?? middleware.name;
  return name === "" || name === "Object" ? "a middleware" : `the middleware ${name}`;
};
