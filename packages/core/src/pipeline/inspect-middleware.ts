import type { AppSettings } from "../lifecycle/app-settings.ts";
import { isPromisedOutput, type Middleware } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { withRoom } from "../response/reply-of.ts";
import { ownReply, Response } from "../response/response.ts";
import { fromWebResponse, isWebResponse } from "../response/web-response.ts";
import { inspectReply } from "./inspect-json.ts";
import { middlewareName } from "./middleware-name.ts";

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

/** Untyped middleware may return anything. @throws CORE_BAD_REPLY; CORE_BAD_HEADER for more than 100 header lines of its own reply */
const replyOfMiddleware = (output: unknown, name: string): Response => {
  if (output instanceof Response) {
    const reply = ownReply(output);
    return reply === output ? reply : withRoom(reply, name); // a reply of `next` may have fields of features
  }
  if (typeof output === "object" && output !== null && isWebResponse(output))
    return withRoom(fromWebResponse(output), name);
  const found = output === undefined || output === null ? "nothing" : "something else";
  const message = `${name} returned ${found} instead of a reply; return what \`next(request)\` returns, or a Response`;
  throw new FrameworkError("CORE_BAD_REPLY", message);
};

const nameOf = (middleware: HttpMiddleware): string => {
  const name = middlewareName(middleware);
  return name === "" ? "a middleware" : `the middleware ${name}`;
};
