import type { AppSettings } from "../lifecycle/app-settings.ts";
import { isPromisedOutput, type Middleware, middlewareObject } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { Response } from "../response/response.ts";
import { inspectReply } from "./inspect-json.ts";

type HttpMiddleware = Middleware<HttpRequest, Response>;

/** Inspects the replies that a program's middleware makes itself; those of its handler are inspected already. An app without middleware pays nothing. */
export const inspectMiddleware =
  (settings: Pick<AppSettings, "debug" | "log">): ((middleware: HttpMiddleware) => HttpMiddleware) =>
  (middleware) => {
    const inspect = inspectReply(nameOf(middleware), settings);
    // Untyped middleware may return anything, which a later level reports.
    const inspected = (output: Response): Response => (output instanceof Response ? inspect(output) : output);
    return (request, next) => {
      const output = middleware(request, next);
      return isPromisedOutput(output) ? output.then(inspected) : inspected(output);
    };
  };

const nameOf = (middleware: HttpMiddleware): string => {
  const name = middlewareObject(middleware)?.constructor.name ?? middleware.name;
  return name === "" || name === "Object" ? "a middleware" : `the middleware ${name}`;
};
