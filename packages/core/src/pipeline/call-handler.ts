import type { Container } from "../dependencies/container.ts";
import { runWith } from "../dependencies/depends.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { type Handler, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import { LazyPromise } from "../middleware/lazy-promise.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { RequestKernel } from "../request/request-kernel.ts";
import { replyOf } from "../response/reply-of.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { filterReply } from "./filter-reply.ts";
import { inspectReply } from "./inspect-json.ts";

/** Creates the innermost step of a route: resolves dependencies, calls the handler, converts its return value to a reply, and filters it by `responses`. */
export const callHandler = (
  route: RouteDefinition,
  { container, settings }: Pick<RequestKernel, "container" | "settings">,
): Handler<HttpRequest, Response> => {
  const call = withDependencies(route, container);
  const reply = withReply(route, call, settings);
  return route.options.responses === undefined ? reply : filterReply(route, reply, settings);
};

type Call = (request: HttpRequest, dependencies?: unknown) => unknown;

const withDependencies = (route: RouteDefinition, container: Container): Handler<HttpRequest, unknown> => {
  const handler = route.handler as Call;
  const { inject } = route.options;
  if (inject === undefined) return (request) => runWith(request, handler, undefined);
  return (request) =>
    mapAwaitable(container.resolveAll(inject, request.scope), (dependencies) =>
      runWith(request, handler, dependencies),
    );
};

const withReply = (
  route: RouteDefinition,
  call: Handler<HttpRequest, unknown>,
  { debug, log }: AppSettings,
): Handler<HttpRequest, Response> => {
  let warned = !debug;
  const inspect = inspectReply(`${route.method} ${route.path}`, { debug, log });
  const toReply = (returned: unknown): Response => {
    if (returned === undefined && !warned) {
      warned = true;
      log.warn(
        `${route.method} ${route.path} returned undefined and got status 204; return a value, or null for an intended 204`,
      );
    }
    return inspect(replyOf(returned));
  };
  return (request) => {
    const returned = call(request);
    return isPromise(returned) ? new LazyPromise(returned, request, toReply, null) : toReply(returned);
  };
};
