import { FrameworkError } from "../errors/framework-error.ts";
import { type Handler, mapAwaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { issuesOf } from "../validation/validate.ts";

/** Validates a route's JSON replies against the schema of their status, if any; an invalid reply is an error. */
export const checkReply = (
  route: RouteDefinition,
  handle: Handler<HttpRequest, Response>,
): Handler<HttpRequest, Response> => {
  const { responses = {} } = route.options;
  return (request) =>
    mapAwaitable(handle(request), (reply) => {
      const schema = responses[reply.status];
      if (schema === undefined || typeof reply.payload !== "string" || !isJson(reply)) return reply;
      const value: unknown = JSON.parse(reply.payload);
      return mapAwaitable(issuesOf(schema, value, "response"), (issues) => {
        if (issues.length === 0) return reply;
        const places = issues.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
        throw new FrameworkError(
          "CORE_REPLY_MISMATCH",
          `${route.method} ${route.path} answered ${reply.status} with a body that does not match its schema: ${places}`,
        );
      });
    });
};

const isJson = ({ contentType }: Response): boolean =>
  /^application\/(?:[\w.+-]+\+)?json(?:;|$)/.test(contentType ?? "");
