import type { Container } from "../dependencies/container.ts";
import { runWith } from "../dependencies/depends.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import {
  type Awaitable,
  type Handler,
  isPromise,
  mapAwaitable,
  type Rescue,
} from "../middleware/middleware.ts";
import { Later, type Receiver } from "../middleware/later.ts";
import { discardBody } from "../middleware/outcome.ts";
import { timeLimit } from "../middleware/timeout.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { AwaitedReply } from "../request/late-reply.ts";
import type { RequestKernel } from "../request/request-kernel.ts";
import { replyOf } from "../response/reply-of.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { MAX_TIMEOUT_MS } from "../runtime/clock.ts";
import { filterReply } from "./filter-reply.ts";
import { inspectReply } from "./inspect-json.ts";
import type { PrepareReply } from "./prepare-reply.ts";

/** What becomes of a late reply that a middleware waits for, as of one in time. */
export interface LateReplyParts {
  readonly rescue: Rescue<HttpRequest, Response>;
  readonly accept: PrepareReply;
}

/** Creates the innermost step of a route: resolves dependencies, calls the handler, and converts its return value to a reply. */
export const callHandler = (
  route: RouteDefinition,
  { container, settings }: Pick<RequestKernel, "container" | "settings">,
  ofLate: LateReplyParts,
): Handler<HttpRequest, Response> => {
  const value = withDependencies(route, container);
  const reply = withReply(route, value, settings);
  const filtered = route.options.responses === undefined ? reply : filterReply(route, reply, settings);
  const limitSecs = route.options.timeoutSecs ?? settings.timeouts.handlerSecs;
  if (!(limitSecs > 0)) return filtered; // start reports an invalid one
  const timeoutMs = Math.min(Math.max(limitSecs * 1000, 1), MAX_TIMEOUT_MS);
  const bounded = timeLimit<HttpRequest, Response>({ timeoutMs, late: receiveLate(ofLate) });
  return (request) => bounded(request, filtered);
};

/** Passes late outcomes to the middleware that waits for them; discards them if none does. */
const receiveLate =
  ({ rescue, accept }: LateReplyParts) =>
  (request: HttpRequest): Receiver<Response> => {
    const awaited = request.context.get(AwaitedReply);
    if (awaited === null) return unawaited;
    const { promise, resolve } = Promise.withResolvers<() => Awaitable<Response>>();
    awaited.promise = promise.then((outcome) => outcome());
    return {
      answer: (reply) => resolve(() => accept(reply, request)),
      fail: (error) => resolve(() => rescue(error, request)),
    };
  };

const unawaited: Receiver<Response> = { answer: discardBody, fail: () => {} };

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
  const inspect = inspectReply(`${route.method} ${route.path}`, { debug, log });
  const toReply = (returned: unknown): Response => {
    if (returned === undefined && !warned) {
      warned = true;
      log.warn(
        `${route.method} ${route.path} returned undefined and was answered with 204; return a value, or null for an intended 204`,
      );
    }
    return inspect(replyOf(returned));
  };
  return (request) => {
    const returned = value(request);
    return isPromise(returned) ? new Later(returned, request, toReply, null) : toReply(returned);
  };
};
