import type * as grpc from "@grpc/grpc-js";
import { compose } from "@framework/core/feature";
import type { GrpcMethod } from "../service/grpc-service.ts";
import type { GrpcError } from "../status/grpc-error.ts";
import { checkCallOptions, type CheckedClientOptions } from "./check-options.ts";
import type { GrpcCallOptions, OutgoingCall } from "./client-config.ts";
import { grpcJs } from "../libraries.ts";
import { sendAll, type Source } from "./send-all.ts";
import { toClientError } from "./to-client-error.ts";

/** One call before middleware. */
export interface CallToSend {
  readonly name: string;
  readonly method: GrpcMethod;
  readonly request: unknown;
  readonly options: GrpcCallOptions;
}

/** A failed call within middleware, whose `next` never throws: it is thrown to the caller at the end. */
export class FailedCall {
  /** The error that the caller gets. */
  readonly error: GrpcError;

  constructor(error: GrpcError) {
    this.error = error;
  }
}

type Started =
  | grpc.ClientUnaryCall
  | grpc.ClientReadableStream<unknown>
  | grpc.ClientWritableStream<unknown>
  | grpc.ClientDuplexStream<unknown, unknown>;

/** Sends calls over one connection: middleware, deadline, cancellation, metadata. */
export class CallSender {
  private readonly connection: grpc.Client;
  private readonly options: CheckedClientOptions;

  constructor(connection: grpc.Client, options: CheckedClientOptions) {
    this.connection = connection;
    this.options = options;
  }

  /** Returns a promise of the answer, or an async iterable of the answers. Both reject with a ConfigurationError for wrong options. */
  send(call: CallToSend): unknown {
    try {
      checkCallOptions(call.options);
    } catch (error) {
      const refused: Promise<never> = Promise.reject(error);
      if (!call.method.responseStream) return refused;
      refused.catch(() => {}); // the reader gets it
      return streamed(refused);
    }
    const outgoing: OutgoingCall = {
      name: call.name,
      request: call.request,
      metadata: new Map(Object.entries({ ...this.options.metadata, ...call.options.metadata })),
      deadlineMs: this.deadlineOf(call.options),
    };
    const inner = (each: OutgoingCall): unknown => this.start(call, each);
    const rescue = (error: unknown): unknown => new FailedCall(toClientError(error));
    const answer = compose(this.options.use, inner, rescue)(outgoing);
    return call.method.responseStream ? streamed(answer) : single(answer);
  }

  private deadlineOf({ timeoutMs = this.options.timeoutMs, within }: GrpcCallOptions): number | null {
    const ownMs = timeoutMs === 0 ? Infinity : Date.now() + timeoutMs;
    const deadlineMs = Math.min(ownMs, within?.deadlineMs ?? Infinity);
    return deadlineMs === Infinity ? null : deadlineMs;
  }

  private start(call: CallToSend, { name, request, metadata, deadlineMs }: OutgoingCall): unknown {
    const { method, options } = call;
    const { connection } = this;
    const fields = new (grpcJs().Metadata)();
    for (const [field, value] of metadata)
      fields.set(field, typeof value === "string" ? value : Buffer.from(value));
    const settings: grpc.CallOptions = deadlineMs === null ? {} : { deadline: deadlineMs };
    const path = `/${name}`;
    const encode = (value: unknown): Buffer => method.request.encode(value);
    const decode = (bytes: Buffer): unknown => method.response.decode(bytes);
    const signals = [options.signal, options.within?.signal].filter((signal) => signal !== undefined);
    const source: Source = { error: undefined };
    if (method.responseStream) {
      const stream = method.requestStream
        ? connection.makeBidiStreamRequest(path, encode, decode, fields, settings)
        : connection.makeServerStreamRequest(path, encode, decode, request, fields, settings);
      const release = cancelWith(stream, signals);
      const outcome = outcomeOf(stream);
      if (method.requestStream)
        void sendAll(
          stream as grpc.ClientDuplexStream<unknown, unknown>,
          request as AsyncIterable<unknown>,
          source,
        );
      return answers(stream, outcome, source, release);
    }
    return new Promise((resolve, reject) => {
      const answered = (error: grpc.ServiceError | null, value?: unknown): void => {
        release();
        if (error === null) resolve(value);
        else reject(toClientError(error, source.error));
      };
      const started = method.requestStream
        ? connection.makeClientStreamRequest(path, encode, decode, fields, settings, answered)
        : connection.makeUnaryRequest(path, encode, decode, request, fields, settings, answered);
      const release = cancelWith(started, signals);
      if (method.requestStream)
        void sendAll(
          started as grpc.ClientWritableStream<unknown>,
          request as AsyncIterable<unknown>,
          source,
        );
    });
  }
}

/** Cancels a call when a signal aborts. Returns a function that ends this. */
const cancelWith = (call: Started, signals: readonly AbortSignal[]): (() => void) => {
  const cancel = (): void => call.cancel();
  for (const signal of signals) {
    if (signal.aborted) queueMicrotask(cancel); // the caller listens for the outcome by then
    signal.addEventListener("abort", cancel, { once: true });
  }
  return () => {
    for (const signal of signals) signal.removeEventListener("abort", cancel);
  };
};

type AnswerStream = grpc.ClientReadableStream<unknown> | grpc.ClientDuplexStream<unknown, unknown>;

/** Keeps the error of a stream, which may fail before its reader listens: an event without a listener would end the process. */
const outcomeOf = (stream: AnswerStream): { error: unknown } => {
  const outcome: { error: unknown } = { error: null };
  stream.once("error", (error) => {
    outcome.error = error;
  });
  return outcome;
};

/** Reads a stream lazily: the server is paused while the caller does not read. */
async function* answers(
  stream: AnswerStream,
  outcome: { readonly error: unknown },
  source: Readonly<Source>,
  release: () => void,
): AsyncGenerator<unknown> {
  try {
    for await (const message of stream) yield message;
    if (outcome.error !== null) throw outcome.error;
  } catch (error) {
    throw toClientError(error, source.error);
  } finally {
    release();
    stream.cancel(); // does nothing after the end
  }
}

const single = async (answer: unknown): Promise<unknown> => {
  const value = await answer;
  if (value instanceof FailedCall) throw value.error;
  return value;
};

async function* streamed(answer: unknown): AsyncGenerator<unknown> {
  const source = await answer;
  if (source instanceof FailedCall) throw source.error;
  yield* source as AsyncIterable<unknown>;
}
