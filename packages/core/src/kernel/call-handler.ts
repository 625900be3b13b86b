import type { Container } from "../dependencies/container.ts";
import { runWith } from "../dependencies/depends.ts";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { type Handler, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { BodyStream } from "../exchange/payload.ts";
import { replyOf } from "../response/reply-of.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { checkReply } from "./check-reply.ts";

/** The innermost step of a route: dependencies, the program's handler, and the reply that its return value means. */
export const callHandler = (
  route: RouteDefinition,
  container: Container,
  settings: AppSettings,
): Handler<HttpRequest, Response> => {
  const value = withDependencies(route, container);
  const reply = withReply(route, value, settings);
  const checked = settings.debug && route.options.responses !== undefined ? checkReply(route, reply) : reply;
  const limitSecs = route.options.timeoutSecs ?? settings.timeouts.handlerSecs;
  return limitSecs > 0 ? withDeadline(checked, limitSecs) : checked;
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
): Handler<HttpRequest, Response> => {
  let warned = !debug;
  const toReply = (returned: unknown): Response => {
    if (returned === undefined && !warned) {
      warned = true;
      log.warn(
        `${route.method} ${route.path} returned undefined, answered 204; forgot to return? (null says 204 on purpose)`,
      );
    }
    return replyOf(returned);
  };
  return (request) => {
    const returned = value(request);
    return isPromise(returned) ? returned.then(toReply) : toReply(returned);
  };
};

const withDeadline =
  (handle: Handler<HttpRequest, Response>, limitSecs: number): Handler<HttpRequest, Response> =>
  (request) => {
    const reply = handle(request);
    return isPromise(reply) ? firstOf(reply, request, limitSecs) : reply;
  };

const firstOf = async (
  reply: Promise<Response>,
  request: HttpRequest,
  limitSecs: number,
): Promise<Response> => {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  let late = false;
  const expire = () => {
    late = true;
    const error = new HandlerTimeoutError(limitSecs);
    request.abort(error);
    reject(error);
  };
  const timer = setTimeout(expire, limitSecs * 1000);
  // What comes after the deadline has no one left to tell, but may hold an open file: the client has its 504.
  reply.then(
    ({ payload }) => {
      if (late && payload instanceof BodyStream) payload.cancel().catch(() => {});
    },
    () => {},
  );
  try {
    return await Promise.race([reply, expired]);
  } finally {
    clearTimeout(timer);
  }
};
