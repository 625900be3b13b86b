import {
  type Awaitable,
  type Guard,
  type Invocation,
  type Logger,
  type Middleware,
  verifyGuards,
} from "@framework/core";
import {
  type Clock,
  compose,
  type EntryProtection,
  type HostState,
  isPromise,
  mapAwaitable,
  type Operations,
  throttledLog,
} from "@framework/core/feature";
import { GrpcError } from "../status/grpc-error.ts";
import { sendableError } from "../status/sendable-error.ts";
import { toGrpcError } from "../status/to-grpc-error.ts";
import type { BoundMethod } from "./bound-method.ts";
import { isServerFault } from "./call-operations.ts";
import type { GrpcCall } from "./grpc-call.ts";
import { readMessage, readMessages } from "./read-messages.ts";

/** How a call ended: the status, or `null` for OK. */
export type CallOutcome = GrpcError | null;

/** Middleware around calls. */
export type CallMiddleware = Middleware<GrpcCall, CallOutcome>;

/** What a door supplies for one call. */
export interface CallWork {
  readonly bound: BoundMethod;
  readonly call: GrpcCall;
  /** Whether the call is a request, which the app's limits and guards have passed. @default false */
  readonly isRequest?: boolean;
  /** The message of the client, or its stream of messages. */
  readonly input: Uint8Array | AsyncIterable<Uint8Array>;
  /** Sends a message; the returned promise resolves when the client reads on. */
  readonly emit: (bytes: Buffer) => Awaitable<void>;
  /** Called once with the outcome, at once when the call is aborted. */
  readonly done: (outcome: CallOutcome) => void;
}

/** Dependencies of a runner. */
export interface CallRunnerParts {
  readonly state: Pick<HostState, "invoke">;
  readonly log: Logger;
  readonly debug: boolean;
  readonly clock: Clock;
  readonly operations: Operations<GrpcCall>;
  readonly middleware: readonly CallMiddleware[];
  /** The app's limits, guards and breakers. */
  readonly protection: EntryProtection;
}

/** Runs calls of every door the same way: middleware, authentication, guards, validation, handler, deadline. */
export class CallRunner {
  private readonly parts: CallRunnerParts;
  private readonly limited: readonly CallMiddleware[];
  private readonly breakers: readonly CallMiddleware[];
  private readonly active: Set<GrpcCall> = new Set();
  private readonly logSometimes = throttledLog();

  constructor(parts: CallRunnerParts) {
    this.parts = parts;
    const { limits, breakers } = parts.protection;
    // Both return what `next` gives, which is an outcome.
    this.limited = [...(limits as readonly unknown[] as readonly CallMiddleware[]), ...parts.middleware];
    this.breakers = breakers as readonly unknown[] as readonly CallMiddleware[];
  }

  /** Calls in progress. */
  get size(): number {
    return this.active.size;
  }

  /** Starts a call; never throws. */
  serve(work: CallWork): void {
    const { call, done } = work;
    let isOver = false;
    let stopTimer = (): void => {};
    const end = (outcome: CallOutcome): void => {
      if (isOver) return;
      isOver = true;
      stopTimer();
      call.settle();
      this.active.delete(call);
      done(outcome === null ? null : this.sendable(call, outcome));
    };
    this.active.add(call);
    const remainingMs = call.remainingMs(this.parts.clock.date());
    if (remainingMs !== null) stopTimer = this.parts.clock.after(remainingMs, () => call.abort(late()));
    call.onAbort(end);
    const outcome = this.observed(work);
    if (isPromise(outcome)) void outcome.then(end); // never rejects
    else end(outcome);
  }

  /** Ends every call, such as at the deadline of a drain. Returns their number. */
  abortAll(reason: GrpcError): number {
    const calls = [...this.active];
    for (const call of calls) call.abort(reason);
    return calls.length;
  }

  /** Leaves out what cannot be sent, which the doors would stumble over: clients get the status at least. */
  private sendable(call: GrpcCall, outcome: GrpcError): GrpcError {
    const { error, problems } = sendableError(outcome, call.trailersToSend?.byteLength ?? 0);
    const [problem] = problems;
    if (problem !== undefined)
      this.logSometimes((omitted) =>
        this.parts.log.warn(`metadata of an error was not sent: ${problem}`, {
          code: "GRPC_BAD_METADATA",
          method: call.name,
          omitted,
        }),
      );
    return error;
  }

  private observed(work: CallWork): Awaitable<CallOutcome> {
    const operation = this.parts.operations.begin(work.call);
    if (operation === null) return this.outcome(work);
    const ended = (outcome: CallOutcome): CallOutcome => {
      if (outcome !== null && isServerFault(outcome.status)) operation.fail(outcome);
      operation.end({ "rpc.grpc.status_code": outcome?.statusCode ?? 0 });
      return outcome;
    };
    return mapAwaitable(
      operation.within(() => this.outcome(work)),
      ended,
    );
  }

  private outcome(work: CallWork): Awaitable<CallOutcome> {
    const isLimited = work.isRequest !== true && !work.bound.isExempt;
    const middleware = isLimited ? this.limited : this.parts.middleware;
    const inner = (): Awaitable<CallOutcome> => this.perform(work);
    const rescue = (error: unknown): CallOutcome => this.failed(work.call, error);
    if (middleware.length > 0) return compose(middleware, inner, rescue)(work.call);
    try {
      const outcome = inner();
      return isPromise(outcome) ? outcome.catch(rescue) : outcome;
    } catch (error) {
      return rescue(error);
    }
  }

  private failed(call: GrpcCall, error: unknown): GrpcError {
    const { log, debug } = this.parts;
    const outcome = toGrpcError(error, debug);
    // A GrpcError is deliberate, such as for malformed bytes, which clients could fill the log with.
    if (outcome.status === "INTERNAL" && !GrpcError.is(error) && call.aborted === null)
      log.error("a gRPC call failed", { method: call.name, error: outcome.cause ?? outcome });
    return outcome;
  }

  private perform(work: CallWork): Awaitable<CallOutcome> {
    const { bound, call } = work;
    const { auth, handle } = bound;
    const guards = this.guardsOf(work);
    if (handle === null) throw new GrpcError("UNIMPLEMENTED", `${call.name} has no handler`);
    const identified: Awaitable<void> = auth === null ? undefined : auth.identify(call);
    const { debug: explain, log } = this.parts;
    const allowed =
      guards.length === 0
        ? identified
        : mapAwaitable(identified, () => verifyGuards(guards, call, { explain, log }));
    return mapAwaitable(allowed, () =>
      this.guarded(work, handle as (request: unknown, call: GrpcCall) => unknown),
    );
  }

  /** The guards of the app, unless a request has passed them, then those of the method. */
  private guardsOf({ bound, isRequest }: CallWork): readonly Guard<Invocation>[] {
    const { guards: ofApp } = this.parts.protection;
    const { guards, followsApp } = bound;
    return ofApp.length === 0 || isRequest === true || !followsApp ? guards : [...ofApp, ...guards];
  }

  /** Calls the handler through the breakers of the app. */
  private guarded(
    work: CallWork,
    handle: (request: unknown, call: GrpcCall) => unknown,
  ): Awaitable<CallOutcome> {
    const { bound, call } = work;
    if (this.breakers.length === 0 || bound.isExempt) return succeeded(this.handle(work, handle));
    const inner = (): Awaitable<CallOutcome> => untilAborted(call, succeeded(this.handle(work, handle)));
    return compose(this.breakers, inner, (error: unknown) => this.failed(call, error))(call);
  }

  private handle(
    { bound: { method }, call, input, emit }: CallWork,
    handle: (request: unknown, call: GrpcCall) => unknown,
  ): Awaitable<void> {
    const { state } = this.parts;
    // The doors give bytes for one message and an iterable for a stream.
    const request = method.requestStream
      ? readMessages(method, input as AsyncIterable<Uint8Array>)
      : readMessage(method, input as Uint8Array);
    return mapAwaitable(request as Awaitable<unknown>, (value): Awaitable<void> => {
      if (call.aborted !== null) throw call.aborted;
      if (method.responseStream)
        return state.invoke(call, undefined, () =>
          this.sendAll(method.response.encode, handle(value, call), call, emit),
        );
      const reply = state.invoke(call, undefined, () => handle(value, call));
      return mapAwaitable(reply as Awaitable<unknown>, (message) => emit(method.response.encode(message)));
    });
  }

  private async sendAll(
    encode: (value: unknown) => Buffer,
    messages: unknown,
    call: GrpcCall,
    emit: CallWork["emit"],
  ): Promise<void> {
    for await (const message of messages as AsyncIterable<unknown>) {
      if (call.aborted !== null) throw call.aborted;
      const sent = emit(encode(message));
      if (isPromise(sent)) await sent;
    }
  }
}

const succeeded = (handled: Awaitable<void>): Awaitable<null> =>
  isPromise(handled) ? handled.then(() => null) : null;

/** The outcome, or the end of the call: a breaker counts a deadline although the handler goes on. */
const untilAborted = (call: GrpcCall, outcome: Awaitable<CallOutcome>): Awaitable<CallOutcome> => {
  if (!isPromise(outcome)) return outcome;
  const { signal } = call;
  const { promise: ended, resolve } = Promise.withResolvers<CallOutcome>();
  const end = (): void => resolve(call.aborted);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  return Promise.race([outcome, ended]).finally(() => signal.removeEventListener("abort", end));
};

const late = (): GrpcError => new GrpcError("DEADLINE_EXCEEDED", "Deadline exceeded");
