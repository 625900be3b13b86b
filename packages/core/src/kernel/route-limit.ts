import { HttpError } from "../errors/http-error.ts";
import { HandlerTimeoutError } from "../errors/http-errors.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import type { Awaitable, Handler, Rescue } from "../middleware/middleware.ts";
import type { Receiver } from "../middleware/later.ts";
import { discardBody } from "../middleware/outcome.ts";
import { timeLimit } from "../middleware/timeout.ts";
import { keepAliveTimers } from "../middleware/wait.ts";
import { type BodyWait, bodyWait, noWait } from "../request/body-wait.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { AwaitedReply, giveLateReply } from "../request/late-reply.ts";
import type { Response } from "../response/response.ts";
import type { RouteDefinition } from "../routes/route.ts";
import { type Clock, MAX_TIMEOUT_MS, systemClock } from "../runtime/clock.ts";
import type { PrepareReply } from "./prepare-reply.ts";

/** Converts the late outcome that a middleware waits for into a reply, as for one in time. */
export interface LateReplyParts {
  readonly rescue: Rescue<HttpRequest, Response>;
  readonly accept: PrepareReply;
}

/** Dependencies of `RouteLimit`. */
export interface RouteLimitParts {
  readonly timeoutMs: number;
  readonly late: LateReplyParts;
  /** @default timers that keep the process alive */
  readonly clock?: Pick<Clock, "now" | "after">;
}

/**
 * The time limit that the guards, input validation and handler of a route share. Synchronous work sets no timer.
 *
 * Guards have a timer of their own, because levels between them and the handler, such as idempotency, must see the 504 of a handler.
 */
export class RouteLimit {
  private readonly timeoutMs: number;
  private readonly clock: Pick<Clock, "now" | "after">;
  private readonly late: LateReplyParts;
  /** When the first asynchronous guard of a request began. */
  private readonly since = new WeakMap<HttpRequest, number>();
  private readonly expired = new WeakSet<HttpRequest>();
  /** The wait of each request for its body since the handler, or the validation of its input, began; no entry if the body had arrived by then. */
  private readonly waits = new WeakMap<HttpRequest, BodyWait>();
  /** Whether the route ever had an asynchronous guard, and whether a request of it ever expired: most routes skip the look-ups. */
  private hasWaited = false;
  private hasExpired = false;
  private readonly guarding: (request: HttpRequest, verdict: () => Promise<void>) => Awaitable<void>;

  constructor({ timeoutMs, late, clock = { ...keepAliveTimers, now: systemClock.now } }: RouteLimitParts) {
    this.timeoutMs = timeoutMs;
    this.clock = clock;
    this.late = late;
    this.guarding = timeLimit<HttpRequest, void>({
      timeoutMs,
      remainingMs: (request) => this.remainingMs(request),
      clock,
      late: () => unawaited, // the request already has its 504
    });
  }

  /** Waits for an asynchronous guard. @throws HandlerTimeoutError 504 */
  waitFor(request: HttpRequest, verdict: Promise<void>): Awaitable<void> {
    this.hasWaited = true;
    if (!this.since.has(request)) this.since.set(request, this.clock.now());
    return this.guarding(request, () => verdict);
  }

  /** Returns the handler with the time limit. */
  around(handler: Handler<HttpRequest, Response>): Handler<HttpRequest, Response> {
    const { timeoutMs, clock } = this;
    const bounded = timeLimit<HttpRequest, Response>({
      timeoutMs,
      remainingMs: (request) => this.remainingMs(request),
      clock,
      error: (request) => this.errorOf(request),
      late: (request) => this.receiverOf(request),
    });
    return (request) => {
      const wait = bodyWait(request, clock.now);
      if (wait !== noWait) this.waits.set(request, wait);
      return bounded(request, handler);
    };
  }

  /** Returns the handler so that it is not called after the limit: its input may become valid too late. */
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

  /** Returns a 408 if most of the time was spent waiting for the client's body, which circuit breakers do not count; else a 504. */
  private errorOf(request: HttpRequest): HttpError {
    const { timeoutMs } = this;
    const waitMs = this.waits.get(request)?.ms ?? 0;
    return waitMs > timeoutMs / 2
      ? new HttpError(408, "The request body took too long to arrive", closing)
      : new HandlerTimeoutError(timeoutMs / 1000);
  }

  /** Passes a late outcome to the middleware that waits for it; discards it if none does. */
  private receiverOf(request: HttpRequest): Receiver<Response> {
    const { rescue, accept } = this.late;
    this.hasExpired = true;
    this.expired.add(request);
    const awaited = request.context.get(AwaitedReply);
    if (awaited === null) return unawaited;
    const { promise, resolve } = Promise.withResolvers<() => Awaitable<Response>>();
    const late = promise.then((outcome) => outcome());
    if (!giveLateReply(awaited, late)) late.then(discardBody, () => {}); // only the middleware that waits handles its error
    return {
      answer: (reply) => resolve(() => accept(reply, request)),
      fail: (error) => resolve(() => rescue(error, request)),
    };
  }
}

/** RFC 9110 15.5.9: the connection closes instead of waiting for the rest of the body. */
const closing = { headers: { connection: "close" } };

/** Returns the limit of a route; `null` for none. */
export const routeLimit = (
  { options }: RouteDefinition,
  { timeouts }: Pick<AppSettings, "timeouts">,
  late: LateReplyParts,
): RouteLimit | null => {
  const limitSecs = options.timeoutSecs ?? timeouts.handlerSecs;
  if (!(limitSecs > 0)) return null; // start reports an invalid one
  return new RouteLimit({ timeoutMs: Math.min(Math.max(limitSecs * 1000, 1), MAX_TIMEOUT_MS), late });
};

const unawaited: Receiver<unknown> = { answer: discardBody, fail: () => {} };
