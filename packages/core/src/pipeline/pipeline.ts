import type { ExceptionHandlers } from "./exception-handlers.ts";
import type { Problem } from "../errors/configuration-error.ts";
import type { Guard } from "../guards/guard.ts";
import { verifyGuards } from "../guards/verify-guards.ts";
import {
  type Awaitable,
  compose,
  type Handler,
  isPromise,
  mapAwaitable,
  type Middleware,
  type Rescue,
  surround,
} from "../middleware/middleware.ts";
import { waitsOnce } from "../middleware/waiting-once.ts";
import type { RequestTraces } from "../insight/request-steps.ts";
import type { Operations } from "../insight/operations.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import { HttpRequest } from "../request/http-request.ts";
import type { RequestKernel } from "../request/request-kernel.ts";
import type { Response } from "../response/response.ts";
import { type CanonicalTarget, canonicalise, MAX_SEGMENTS } from "../routing/canonical-path.ts";
import { Router } from "../routing/router.ts";
import type { Endpoint, RouteDefinition } from "../routes/route.ts";
import { UNREADABLE } from "../exchange/unreadable.ts";
import type { RequestSource } from "../exchange/request-source.ts";
import { callHandler } from "./call-handler.ts";
import { endBodies } from "./end-bodies.ts";
import { inspectMiddleware } from "./inspect-middleware.ts";
import { guardsOfApp } from "./guards-of-app.ts";
import { prepareReplies } from "./prepare-reply.ts";
import { createRequestOperations } from "./request-operations.ts";
import { createRescue } from "./rescue.ts";
import { type RouteLimit, routeLimit } from "./route-limit.ts";
import { innerStages, outerStages, type Stages } from "../feature/stages.ts";
import { stagesOf } from "./stages-of.ts";
import type { MiddlewareLabels } from "./middleware-labels.ts";
import { type ChainTracer, type TracedHandler, traceSteps } from "./trace-steps.ts";
import { replyToUnmatched } from "./unmatched.ts";
import { validateInput } from "./validate-input.ts";

/** Serves one request. Never rejects: every error becomes a reply. */
export type Serve = (source: RequestSource) => Awaitable<Response>;

/** The registrations that the pipeline is built from. */
export interface PipelineParts {
  readonly routes: readonly RouteDefinition[];
  readonly guards: readonly Guard<HttpRequest>[];
  readonly middleware: Stages;
  readonly exceptionHandlers: ExceptionHandlers;
  /** Publishes every request as an operation. */
  readonly requests: Operations<HttpRequest>;
  /** Publishes the steps of requests, if tracing is enabled at start. */
  readonly traces: RequestTraces;
  readonly labels: MiddlewareLabels;
}

/** A compiled app, ready to serve requests. */
export interface Pipeline {
  readonly serve: Serve;
  /** Returns the reply to an error, as every level of the chains does. */
  readonly rescue: Rescue<HttpRequest, Response>;
}

type HttpMiddleware = Middleware<HttpRequest, Response>;

/**
 * Compiles an app once: a router whose routes each hold their whole chain. A chain for unmatched requests is compiled at the first one, per set of methods that
 * their path allows.
 */
export const createPipeline = (
  parts: PipelineParts,
  kernel: RequestKernel,
  report: (problem: Problem) => void,
): Pipeline => {
  const { settings } = kernel;
  const requests = createRequestOperations(parts.requests);
  const { inside, outside } = prepareReplies(endBodies(kernel.draining));
  const rescue = createRescue(parts.exceptionHandlers, { settings, requests, accept: outside });
  const rescueInside = createRescue(parts.exceptionHandlers, { settings, requests, accept: inside });
  const converters = { rescue: rescueInside, accept: inside };
  const originals = new WeakMap<object, HttpMiddleware>();
  const inspect = inspectMiddleware(settings);
  const inspectAndRecord = (middleware: HttpMiddleware): HttpMiddleware => {
    const wrapper = inspect(middleware);
    originals.set(wrapper, middleware);
    return wrapper;
  };
  const compileChain = traceSteps(parts.traces, parts.labels, settings);
  const traceWith =
    (tracer: ChainTracer) =>
    (middleware: HttpMiddleware): HttpMiddleware =>
      tracer.middleware(middleware, originals.get(middleware));
  const programMiddleware = (parts.middleware.get("app") ?? []).map(inspectAndRecord);
  const outer = stagesOf(outerStages, new Map(parts.middleware).set("app", programMiddleware), settings);
  const inner = innerStages.map((stage) => parts.middleware.get(stage) ?? []);
  const cacheAt = innerStages.indexOf("cache");
  const beforeCache = inner.slice(0, cacheAt).flat();
  const cache = inner[cacheAt] ?? [];
  const inCache = inner.slice(cacheAt + 1).flat();
  const router = new Router<Endpoint>();

  for (const route of parts.routes) {
    const ofApp = guardsOfApp(parts.guards, route.exempt);
    const guards = [...ofApp, ...route.guards, ...(route.options.guards ?? [])];
    const ofRoute = route.middleware.map(inspectAndRecord);
    const limit = routeLimit(route, settings, converters);
    const call = limitTime(route, callHandler(route, kernel), limit);
    const handle = compileChain(`${route.method} ${route.path}`, (tracer) => {
      const trace = traceWith(tracer);
      const chain = [
        ...outer.map(trace),
        ...ofRoute.map(trace),
        ...tracer.guards(guards, (some) => verifyStep(some, settings, limit)),
        ...beforeCache.map(trace),
        ...cache.map(trace),
      ];
      const ofReplies = inCache.map(trace);
      const innermost = tracer.innermost(handlerOf(route), call, (next) => {
        const validated = validateInput(route.options, next);
        return limit === null || validated === next ? validated : limit.around(validated);
      });
      return cache.length === 0
        ? compose([...chain, ...ofReplies], innermost, rescue, outside, true)
        : surround(chain, compose(ofReplies, innermost, rescueInside, inside), rescue, outside, true);
    });
    const endpoint = {
      method: route.method,
      pattern: route.path,
      options: route.options,
      tags: route.tags,
      addedBy: route.addedBy,
      exempt: route.exempt,
      guarded: guards.length > 0,
      handle,
    };
    const problem = router.add(route.method, route.path, endpoint, route.place);
    if (problem !== null) report(problem);
  }

  const listing = settings.debug ? parts.routes.map(({ method, path }) => `${method} ${path}`) : null;
  const toUnmatched = (allowed: readonly string[]) => (request: HttpRequest) =>
    replyToUnmatched(request, allowed, listing);
  const unmatched = (allowed: readonly string[]): Handler<HttpRequest, Response> =>
    compileChain(null, (tracer) => {
      const chain = outer.map(traceWith(tracer));
      return compose(
        chain,
        tracer.innermost({ name: "no route" }, toUnmatched(allowed)),
        rescue,
        outside,
        true,
      );
    });
  const byMethods = new Map<string, Handler<HttpRequest, Response>>(); // one entry per distinct set of methods of a path
  const unmatchedOnce = (allowed: readonly string[]): Handler<HttpRequest, Response> => {
    const known = byMethods.get(allowed.join());
    if (known !== undefined) return known;
    const handle = unmatched(allowed);
    byMethods.set(allowed.join(), handle);
    return handle;
  };
  const everyMethod = router.methods();
  const refusals = new WeakMap<HttpRequest, unknown>();
  const refuseTarget = compose(
    outer,
    (request: HttpRequest) => rethrow(refusals.get(request)),
    rescue,
    outside,
    true,
  );

  const serve: Serve = (source) => {
    const { target: raw } = source;
    let target: CanonicalTarget;
    try {
      if (raw === "*") {
        return requests.serve(unmatchedOnce(everyMethod), new HttpRequest(source, kernel, asterisk, null));
      }
      // A plain path is already canonical, and a path has at most as many segments as characters.
      const isCanonical = source.isPlain === true && raw.length <= MAX_SEGMENTS;
      target = isCanonical ? { path: raw, search: "" } : canonicalise(raw);
    } catch (error) {
      const request = new HttpRequest(source, kernel, undecodable, null);
      refusals.set(request, error);
      return requests.serve(refuseTarget, request);
    }
    const match = router.find(source.method, target);
    if (match !== null) {
      const { value: endpoint } = match;
      return requests.serve(endpoint.handle, new HttpRequest(source, kernel, target, match));
    }
    return requests.serve(
      unmatchedOnce(router.allowedMethods(target)),
      new HttpRequest(source, kernel, target, null),
    );
  };
  return { serve, rescue };
};

const asterisk: CanonicalTarget = { path: "*", search: "" };
/** Placeholder for a path that cannot be decoded; routes and guards never receive it. */
const undecodable: Pick<CanonicalTarget, "path" | "search"> = { path: UNREADABLE, search: "" };

/** Describes the handler for traces; a missing handler is reported with the other mistakes. */
const handlerOf = ({ handler, addedBy, options }: RouteDefinition): TracedHandler => ({
  name: (handler as { readonly name?: string } | undefined)?.name || (addedBy ?? "handler"),
  feature: addedBy,
  checked: (["params", "query", "body"] as const).filter((part) => options[part] !== undefined),
});

const rethrow = (error: unknown): never => {
  throw error;
};

/** Limits the time of the handler. If the route validates input, the limit wraps validation and handler together, and this only prevents a late call. */
const limitTime = (
  { options: { params, query, body } }: RouteDefinition,
  call: Handler<HttpRequest, Response>,
  limit: RouteLimit | null,
): Handler<HttpRequest, Response> => {
  if (limit === null) return call;
  return (params ?? query ?? body) === undefined ? limit.around(call) : limit.inTime(call);
};

const verifyStep = (
  guards: readonly Guard<HttpRequest>[],
  { debug: explain, log }: AppSettings,
  limit: RouteLimit | null,
): Middleware<HttpRequest, Response> =>
  waitsOnce(
    limit === null
      ? function verify(request, next) {
          return mapAwaitable(verifyGuards(guards, request, { explain, log }), () => next(request));
        }
      : function verify(request, next) {
          const verdict = verifyGuards(guards, request, { explain, log });
          const inTime = isPromise(verdict) ? limit.waitFor(request, verdict) : verdict;
          return mapAwaitable(inTime, () => next(request));
        },
  );
