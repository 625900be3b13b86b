import { HttpError } from "../errors/http-error.ts";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import type { Awaitable, Handler, Rescue } from "../middleware/middleware.ts";
import type { Receiver } from "../middleware/lazy-promise.ts";
import { discardBody } from "../middleware/outcome.ts";
import { timeLimit } from "../middleware/timeout.ts";
import { keepAliveTimers } from "../middleware/wait.ts";
import { type BodyWait, bodyWait, noWait } from "../request/body-wait.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { AwaitedReply, deliverLateReply } from "../request/late-reply.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { type Clock, MAX_TIMEOUT_MS, systemClock } from "../runtime/clock.ts";
import type { PrepareReply } from "./prepare-reply.ts";

/** Functions that convert an outcome to a reply; a late outcome is converted alike, for the middleware that waits for it. */
export interface ReplyConverters {
  readonly rescue: Rescue<HttpRequest, Response>;
  readonly accept: PrepareReply;
}

/** Dependencies of `RouteLimit`. */
export interface RouteLimitParts {
  readonly timeoutMs: number;
  readonly converters: ReplyConverters;
  /** @default timers that keep the process alive */
  readonly clock?: Pick<Clock, "now" | "after">;
}

/**
 * The time limit that the guards, input validation and handler of a route share. Synchronous work sets no timer.
 *
 * Guards have a separate timer, because levels between them and the handler, such as idempotency, must see the 504 of a handler.
 */
export class RouteLimit {
  private readonly timeoutMs: number;
  private readonly clock: Pick<Clock, "now" | "after">;
  private readonly converters: ReplyConverters;
  /** Start time of the first asynchronous guard of each request. */
  private readonly since = new WeakMap<HttpRequest, number>();
  private readonly expired = new WeakSet<HttpRequest>();
  /** The wait of each request for its body, measured from the start of validation or, without it, of the handler; no entry if the body had arrived by then. */
  private readonly waits = new WeakMap<HttpRequest, BodyWait>();
  /** Whether the route ever had an asynchronous guard, and whether one of its requests ever timed out: otherwise the lookups are skipped. */
  private hasWaited = false;
  private hasExpired = false;
  private readonly limitGuard: (request: HttpRequest, verdict: () => Promise<void>) => Awaitable<void>;

  constructor({
    timeoutMs,
    converters,
    clock = { ...keepAliveTimers, now: systemClock.now },
  }: RouteLimitParts) {
    this.timeoutMs = timeoutMs;
    this.clock = clock;
    this.converters = converters;
    this.limitGuard = timeLimit<HttpRequest, void>({
      timeoutMs,
      remainingMs: (request) => this.remainingMs(request),
      clock,
      lateReceiver: () => discardingReceiver, // the request already has its 504
    });
  }

  /** Waits for an asynchronous guard. @throws HandlerTimeoutError 504 */
  waitFor(request: HttpRequest, verdict: Promise<void>): Awaitable<void> {
    this.hasWaited = true;
    if (!this.since.has(request)) this.since.set(request, this.clock.now());
    return this.limitGuard(request, () => verdict);
  }

  /** Wraps the handler in the time limit. */
  around(handler: Handler<HttpRequest, Response>): Handler<HttpRequest, Response> {
    const { timeoutMs, clock } = this;
    const bounded = timeLimit<HttpRequest, Response>({
      timeoutMs,
      remainingMs: (request) => this.remainingMs(request),
      clock,
      error: (request) => this.errorOf(request),
      lateReceiver: (request) => this.receiverOf(request),
    });
    return (request) => {
      const wait = bodyWait(request, clock.now);
      if (wait !== noWait) this.waits.set(request, wait);
      return bounded(request, handler);
    };
  }

  /** Wraps the handler so that it is not called after the limit, when the validation of its input took too long. */
  inTime(handler: Handler<HttpRequest, Response>): Handler<HttpRequest, Response> {
    return (request) => {
      if (this.hasExpired && this.expired.has(request)) throw request.signal.reason;
      return handler(request);
    };
  }

  private remainingMs(request: HttpRequest): number {
    const since = this.hasWaited ? this.since.get(request) : undefined;
    return since === undefined ? this.timeoutMs : Math.max(1, this.timeoutMs - (this.clock.now() - since));
  }

  /** Returns a 408, which circuit breakers do not count, if more than half of the time was spent waiting for the client's body; else a 504. */
  private errorOf(request: HttpRequest): HttpError {
    const { timeoutMs } = this;
    const waitMs = this.waits.get(request)?.ms ?? 0;
    return waitMs > timeoutMs / 2
      ? new HttpError(408, "The request body took too long to arrive", closeConnection)
      : new HandlerTimeoutError(timeoutMs / 1000);
  }

  /** Passes a late outcome to the middleware that waits for it; discards it if none does. */
  private receiverOf(request: HttpRequest): Receiver<Response> {
    const { rescue, accept } = this.converters;
    this.hasExpired = true;
    this.expired.add(request);
    const awaited = request.context.get(AwaitedReply);
    if (awaited === null) return discardingReceiver;
    const { promise, resolve } = Promise.withResolvers<() => Awaitable<Response>>();
    const late = promise.then((outcome) => outcome());
    if (!deliverLateReply(awaited, late)) late.then(discardBody, () => {}); // only the middleware that waits handles its error
    return {
      succeed: (reply) => resolve(() => accept(reply, request)),
      fail: (error) => resolve(() => rescue(error, request)),
    };
  }
}

/** RFC 9110 15.5.9: the connection closes instead of waiting for the rest of the body. */
const closeConnection = { headers: { connection: "close" } };

/** Returns the limit of a route; `null` for none. */
export const routeLimit = (
  { options }: RouteDefinition,
  { timeouts }: Pick<AppSettings, "timeouts">,
  converters: ReplyConverters,
): RouteLimit | null => {
  const limitSecs = options.timeoutSecs ?? timeouts.handlerSecs;
  if (!(limitSecs > 0)) return null; // start reports an invalid one
  return new RouteLimit({ timeoutMs: Math.min(Math.max(limitSecs * 1000, 1), MAX_TIMEOUT_MS), converters });
};

const discardingReceiver: Receiver<unknown> = { succeed: discardBody, fail: () => {} };
