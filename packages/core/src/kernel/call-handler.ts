import type { Container } from "../dependencies/container.ts";
import { runWith } from "../dependencies/depends.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import type { Draining } from "../lifecycle/draining.ts";
import { type Handler, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import { MAX_TIMEOUT_MS, timeout } from "../middleware/timeout.ts";
import type { HttpRequest } from "../request/http-request.ts";
import type { RequestKernel } from "../request/request-kernel.ts";
import { EndlessBody } from "../response/endless-body.ts";
import { replyOf } from "../response/reply-of.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { checkReply } from "./check-reply.ts";

/** Creates the innermost step of a route: resolves dependencies, calls the handler, and converts its return value to a reply. */
export const callHandler = (
  route: RouteDefinition,
  { container, settings, draining }: Pick<RequestKernel, "container" | "settings" | "draining">,
): Handler<HttpRequest, Response> => {
  const value = withDependencies(route, container);
  const reply = withReply(route, value, settings, draining);
  const checked = settings.debug && route.options.responses !== undefined ? checkReply(route, reply) : reply;
  const limitSecs = route.options.timeoutSecs ?? settings.timeouts.handlerSecs;
  if (!(limitSecs > 0)) return checked; // start reports an invalid one
  const timeoutMs = Math.min(Math.max(limitSecs * 1000, 1), MAX_TIMEOUT_MS);
  const bounded = timeout<HttpRequest, Response>({ timeoutMs });
  return (request) => bounded(request, checked);
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
  value: Handler<HttpRequest, unknown>,
  { debug, log }: AppSettings,
  draining: Draining,
): Handler<HttpRequest, Response> => {
  let warned = !debug;
  const toReply = (returned: unknown): Response => {
    if (returned === undefined && !warned) {
      warned = true;
      log.warn(
        `${route.method} ${route.path} returned undefined, answered 204; forgot to return? (null says 204 on purpose)`,
      );
    }
    const reply = replyOf(returned);
    const { payload } = reply;
    // Done here because middleware may wrap the body: a compressed event stream must end with its trailer.
    if (typeof payload === "object" && payload instanceof EndlessBody) payload.endWith(draining);
    return reply;
  };
  return (request) => {
    const returned = value(request);
    return isPromise(returned) ? returned.then(toReply) : toReply(returned);
  };
};
