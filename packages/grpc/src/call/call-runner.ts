// Longer than 250 lines: it has all steps of a call, in the order that every endpoint shares.
import {
  type Awaitable,
  type Guard,
  HttpError,
  type Invocation,
  type Logger,
  type Middleware,
  verifyGuards,
} from "@framework/core";
import {
  type Clock,
  compose,
  type EntryProtection,
  hidesReason,
  type HostState,
  isPromise,
  mapAwaitable,
  type OperationControl,
  type Operations,
  throttledLog,
} from "@framework/core/feature";
import { ClientDeadlineError } from "../status/client-deadline-error.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { sendableError } from "../status/sendable-error.ts";
import { toGrpcError } from "../status/to-grpc-error.ts";
import { ActiveCalls } from "./active-calls.ts";
import type { BoundMethod } from "./bound-method.ts";
import { isServerFault } from "./call-operations.ts";
import type { AbortListener, GrpcCall } from "./grpc-call.ts";
import { readMessage, readMessages } from "./read-messages.ts";

/** How a call ended: the status, or `null` for OK. */
export type CallOutcome = GrpcError | null;

/** Middleware around calls. */
export type CallMiddleware = Middleware<GrpcCall, CallOutcome>;

/** One call as its endpoint passes it to the runner. */
export interface CallWork {
  readonly bound: BoundMethod;
  readonly call: GrpcCall;
  /** Whether this is a gRPC-Web call: the app's HTTP pipeline has already applied limits and guards. @default false */
  readonly isWeb?: boolean;
  /** The message of the client, or its stream of messages. */
  readonly input: Uint8Array | AsyncIterable<Uint8Array>;
  /** Sends a message; a returned promise resolves when the client can receive more. */
  emit(bytes: Buffer): Awaitable<void>;
  /** Called once with the outcome; immediately when the call is aborted. */
  done(outcome: CallOutcome): void;
}

/** Dependencies of a runner. */
export interface CallRunnerParts {
  readonly state: Pick<HostState, "invoke">;
  readonly log: Logger;
  readonly debug: boolean;
  readonly clock: Clock;
  readonly operations: Operations<GrpcCall>;
  readonly middleware: readonly CallMiddleware[];
  /** The app's limits, guards and circuit breakers. */
  readonly protection: EntryProtection;
}

/** Runs calls of every endpoint in the same order: limits, middleware, authentication, guards, circuit breakers, validation, handler. Enforces deadlines. */
export class CallRunner {
  private readonly parts: CallRunnerParts;
  private readonly limitsAndMiddleware: readonly CallMiddleware[];
  private readonly breakers: readonly CallMiddleware[];
  private readonly active: ActiveCalls;
  private readonly logThrottled = throttledLog();

  constructor(parts: CallRunnerParts) {
    this.parts = parts;
    this.active = new ActiveCalls(parts.clock);
    const { limits, breakers } = parts.protection;
    // Limits and breakers return the result of `next`, which is an outcome, so both casts are safe.
    this.limitsAndMiddleware = [
      ...(limits as readonly unknown[] as readonly CallMiddleware[]),
      ...parts.middleware,
    ];
    this.breakers = breakers as readonly unknown[] as readonly CallMiddleware[];
  }

  /** Calls in progress. */
  get size(): number {
    return this.active.size;
  }

  /** Tracks a call whose message has not arrived: `work.aborted` is called at its deadline, and when the service stops. Call `serve` or `refuse` afterwards. */
  awaitMessage(work: CallWork & AbortListener): void {
    this.active.add(work.call);
    work.call.onAbort(work);
  }

  /** Starts a call; never throws. A call that completes synchronously is not added to the calls in progress. */
  serve(work: CallWork): void {
    const { call } = work;
    call.onAbort(null); // a handler may abort its own call, which must end only once
    const operation = this.parts.operations.begin(call);
    const outcome = operation === null ? this.outcome(work) : operation.within(() => this.outcome(work));
    if (isPromise(outcome)) this.track(work, operation, outcome);
    else this.finish(work, operation, call.aborted ?? outcome);
  }

  /** Ends a call that is not served, such as one whose message is malformed. */
  refuse(work: CallWork, outcome: CallOutcome): void {
    this.finish(work, this.parts.operations.begin(work.call), outcome);
  }

  private end(work: CallWork, outcome: CallOutcome): void {
    const { call } = work;
    this.active.delete(call);
    call.settle();
    work.done(outcome === null ? null : this.sendable(call, outcome));
  }

  private track(work: CallWork, operation: OperationControl | null, outcome: Promise<CallOutcome>): void {
    const { call } = work;
    let hasEnded = false;
    const end = (ended: CallOutcome): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.finish(work, operation, ended);
    };
    this.active.add(call);
    call.onAbort({ aborted: end });
    void outcome.then(end); // never rejects
  }

  /** Ends a call and its operation with the same status. An aborted call ends with the status of the abort, not of its handler. */
  private finish(work: CallWork, operation: OperationControl | null, outcome: CallOutcome): void {
    if (operation !== null) {
      if (outcome !== null && isServerFault(outcome.status)) operation.fail(outcome);
      operation.end({ "rpc.grpc.status_code": outcome?.statusCode ?? 0 });
    }
    this.end(work, outcome);
  }

  /** Aborts every call in progress, such as at the deadline of a drain. Returns their number. */
  abortAll(reason: GrpcError): number {
    return this.active.abortAll(reason);
  }

  /** Removes metadata and details that cannot be sent, so that the client gets at least the status. */
  private sendable(call: GrpcCall, outcome: GrpcError): GrpcError {
    const { error, problems } = sendableError(outcome, call.trailersToSend?.byteLength ?? 0);
    const [problem] = problems;
    if (problem !== undefined)
      this.logThrottled((omitted) =>
        this.parts.log.warn(`metadata of an error was not sent: ${problem}`, {
          code: "GRPC_BAD_METADATA",
          method: call.name,
          omitted,
        }),
      );
    return error;
  }

  private outcome(work: CallWork): Awaitable<CallOutcome> {
    const isLimited = work.isWeb !== true && !work.bound.isExempt;
    const middleware = isLimited ? this.limitsAndMiddleware : this.parts.middleware;
    if (middleware.length > 0) return this.runMiddleware(middleware, work);
    try {
      const outcome = this.perform(work);
      return isPromise(outcome) ? this.catchError(outcome, work.call) : outcome;
    } catch (error) {
      return this.outcomeOf(work.call, error);
    }
  }

  private runMiddleware(middleware: readonly CallMiddleware[], work: CallWork): Awaitable<CallOutcome> {
    let canBeOk = work.bound.method.responseStream; // other calls need a response
    const inner = (): Awaitable<CallOutcome> =>
      mapAwaitable(this.perform(work), (performed) => {
        canBeOk ||= performed === null;
        return performed;
      });
    const rescue = (error: unknown): GrpcError => this.outcomeOf(work.call, error);
    const outcome = compose(middleware, inner, rescue)(work.call);
    return mapAwaitable(outcome, (each) => {
      if (!isOutcome(each)) return rescue(new TypeError(NO_OUTCOME));
      return each === null && !canBeOk ? rescue(new TypeError(NO_RESPONSE)) : each;
    });
  }

  private catchError(outcome: Promise<CallOutcome>, call: GrpcCall): Promise<CallOutcome> {
    return outcome.catch((error: unknown) => this.outcomeOf(call, error));
  }

  private outcomeOf(call: GrpcCall, error: unknown): GrpcError {
    const { log, debug, clock } = this.parts;
    const outcome = toGrpcError(error, debug);
    // A downstream call with the same deadline can end before the timer of this call.
    if (
      outcome.status === "DEADLINE_EXCEEDED" &&
      call.aborted === null &&
      call.isAtClientDeadline(clock.date())
    )
      return new ClientDeadlineError(outcome);
    // A GrpcError is not logged: it is deliberate, and clients could fill the log by sending malformed bytes.
    if (outcome.status === "INTERNAL" && !GrpcError.is(error) && call.aborted === null)
      log.error("a gRPC call failed", { method: call.name, error: outcome.cause ?? outcome });
    else if (HttpError.is(error) && hidesReason(error) && call.aborted === null)
      log.warn("a gRPC call failed", { method: call.name, error });
    return outcome;
  }

  // Asynchronous steps are separate methods: closures would create garbage in every synchronous call.
  private perform(work: CallWork): Awaitable<CallOutcome> {
    const { handle, auth } = work.bound;
    if (handle === null) throw new GrpcError("UNIMPLEMENTED", `${work.call.name} has no handler`);
    const identified = auth === null ? undefined : auth.identify(work.call);
    return isPromise(identified) ? this.checkGuardsLater(identified, work) : this.checkGuards(work);
  }

  private async checkGuardsLater(identified: Promise<void>, work: CallWork): Promise<CallOutcome> {
    await identified;
    return await this.checkGuards(work);
  }

  private checkGuards(work: CallWork): Awaitable<CallOutcome> {
    const guards = this.guardsOf(work);
    if (guards.length === 0) return this.throughBreakers(work);
    const { debug: explain, log } = this.parts;
    return mapAwaitable(verifyGuards(guards, work.call, { explain, log }), () => this.throughBreakers(work));
  }

  /** The guards of the app, unless a gRPC-Web call has already passed them, then the guards of the method. */
  private guardsOf({ bound, isWeb }: CallWork): readonly Guard<Invocation>[] {
    const { guards: ofApp } = this.parts.protection;
    const { guards, usesAppGuards } = bound;
    return ofApp.length === 0 || isWeb === true || !usesAppGuards ? guards : [...ofApp, ...guards];
  }

  /** Calls the handler, through the app's circuit breakers unless the method is exempt. */
  private throughBreakers(work: CallWork): Awaitable<CallOutcome> {
    if (this.breakers.length === 0 || work.bound.isExempt) return toOutcome(this.handle(work));
    return this.runBreakers(work);
  }

  private runBreakers(work: CallWork): Awaitable<CallOutcome> {
    const { call } = work;
    const inner = (): Awaitable<CallOutcome> => untilAborted(call, toOutcome(this.handle(work)));
    return compose(this.breakers, inner, (error: unknown) => this.outcomeOf(call, error))(call);
  }

  private handle(work: CallWork): Awaitable<void> {
    const { method } = work.bound;
    // Endpoints pass bytes for one message and an iterable for a stream.
    const request: unknown = method.requestStream
      ? readMessages(method, work.input as AsyncIterable<Uint8Array>)
      : readMessage(method, work.input as Uint8Array);
    return isPromise(request) ? this.respondLater(request, work) : this.respond(request, work);
  }

  private async respondLater(request: Promise<unknown>, work: CallWork): Promise<void> {
    await this.respond(await request, work);
  }

  private respond(request: unknown, work: CallWork): Awaitable<void> {
    const { bound, call } = work;
    if (call.aborted !== null) throw call.aborted;
    const { encode } = bound.method.response;
    const handle = bound.handle as (request: unknown, call: GrpcCall, dependencies: unknown) => unknown;
    const { state } = this.parts;
    if (bound.method.responseStream)
      return state.invoke(call, bound.inject, (dependencies) =>
        this.sendAll(encode, handle(request, call, dependencies), work),
      );
    const reply: unknown = state.invoke(call, bound.inject, (dependencies) =>
      handle(request, call, dependencies),
    );
    return isPromise(reply) ? sendLater(reply, encode, work) : work.emit(encode(reply));
  }

  private async sendAll(
    encode: (value: unknown) => Buffer,
    messages: unknown,
    work: CallWork,
  ): Promise<void> {
    const { call } = work;
    for await (const message of messages as AsyncIterable<unknown>) {
      if (call.aborted !== null) throw call.aborted;
      const sent = work.emit(encode(message));
      if (isPromise(sent)) await sent;
    }
  }
}

/** Middleware of untyped programs may return any value. */
const isOutcome = (value: unknown): boolean => value === null || GrpcError.is(value);

const NO_OUTCOME = "middleware of gRPC calls must return the outcome of `next`, or another GrpcError or null";

const NO_RESPONSE = "middleware of gRPC calls cannot return OK for a call that has no response";

const sendLater = async (
  reply: Promise<unknown>,
  encode: (value: unknown) => Buffer,
  work: CallWork,
): Promise<void> => {
  await work.emit(encode(await reply));
};

const toOutcome = (handled: Awaitable<void>): Awaitable<null> =>
  isPromise(handled) ? handled.then(() => null) : null;

/** Resolves with the outcome, or with the abort reason if the call is aborted first: a call that exceeds its timeout counts as a failure for the breaker, even if the handler is still running. */
const untilAborted = (call: GrpcCall, outcome: Awaitable<CallOutcome>): Awaitable<CallOutcome> => {
  if (!isPromise(outcome)) return outcome;
  const { signal } = call;
  const { promise: ended, resolve } = Promise.withResolvers<CallOutcome>();
  const end = (): void => resolve(call.aborted);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  return Promise.race([outcome, ended]).finally(() => signal.removeEventListener("abort", end));
};
