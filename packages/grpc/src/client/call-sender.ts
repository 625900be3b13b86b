import type * as grpc from "@grpc/grpc-js";
import { compose, mapAwaitable } from "@framework/core/feature";
import type { GrpcMethod } from "../service/grpc-service.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { cancelCall } from "./cancel-call.ts";
import { checkCallOptions, type CheckedClientOptions } from "./check-options.ts";
import type { GrpcCallOptions, OutgoingCall } from "./client-config.ts";
import { grpcJs } from "../libraries.ts";
import { closeSource, sendAll, type Source } from "./send-all.ts";
import { toClientError } from "./to-client-error.ts";

/** One call before middleware. */
export interface CallToSend {
  readonly name: string;
  readonly method: GrpcMethod;
  readonly request: unknown;
  readonly options: GrpcCallOptions;
}

/** Result of `next` for a failed call: `next` never throws, and the caller gets `error` as a rejection. */
export class FailedCall {
  /** The error with which the call rejects. */
  readonly error: GrpcError;

  constructor(error: GrpcError) {
    this.error = error;
  }
}

type ActiveCall =
  | grpc.ClientUnaryCall
  | grpc.ClientReadableStream<unknown>
  | grpc.ClientWritableStream<unknown>
  | grpc.ClientDuplexStream<unknown, unknown>;

/** Sends calls over one connection: middleware, deadline, cancellation, metadata. */
export class CallSender {
  private readonly connection: grpc.Client;
  private readonly options: CheckedClientOptions;
  private readonly active: Set<ActiveCall> = new Set();
  private isClosed = false;

  constructor(connection: grpc.Client, options: CheckedClientOptions) {
    this.connection = connection;
    this.options = options;
  }

  /** Cancels the calls in progress and closes the connection. */
  close(): void {
    this.isClosed = true;
    for (const call of this.active) cancelCall(call); // grpc-js does not cancel them
    this.connection.close();
  }

  /** Returns a promise of the response, or an async iterable of the responses. Both reject with a ConfigurationError for invalid options. */
  send(call: CallToSend): unknown {
    try {
      checkCallOptions(call.options);
    } catch (error) {
      closeUnsent(call);
      const refused: Promise<never> = Promise.reject(error);
      if (!call.method.responseStream) return refused;
      refused.catch(() => {}); // the reader of the stream gets the error
      return cancellable(refused, () => {});
    }
    const outgoing: OutgoingCall = {
      name: call.name,
      request: call.request,
      metadata: metadataOf(this.options, call.options),
      deadlineMs: this.deadlineOf(call.options),
    };
    const abandoned = call.method.responseStream ? new AbortController() : null;
    let isSent = false;
    const inner = (each: OutgoingCall): unknown => {
      const started = this.start(call, each, abandoned?.signal);
      isSent = true;
      return started;
    };
    const rescue = (error: unknown): unknown => new FailedCall(toClientError(error));
    const response = mapAwaitable(compose(this.options.use, inner, rescue)(outgoing), (each) => {
      if (each instanceof FailedCall && !isSent) closeUnsent(call);
      return each;
    });
    return abandoned === null ? awaitResponse(response) : cancellable(response, () => abandoned.abort());
  }

  private deadlineOf({ timeoutMs = this.options.timeoutMs, within }: GrpcCallOptions): number | null {
    const ownDeadlineMs = timeoutMs === 0 ? Infinity : Date.now() + timeoutMs;
    const deadlineMs = Math.min(ownDeadlineMs, within?.deadlineMs ?? Infinity);
    return deadlineMs === Infinity ? null : deadlineMs;
  }

  /** @param abandoned aborts when the reader of a stream stops before its first read */
  private start(
    { method, options }: CallToSend,
    { name, request, metadata, deadlineMs }: OutgoingCall,
    abandoned: AbortSignal | undefined,
  ): unknown {
    const signals = [options.signal, options.within?.signal, abandoned].filter(
      (signal) => signal !== undefined,
    );
    if (this.isClosed || signals.some(({ aborted }) => aborted))
      throw new GrpcError("CANCELLED", this.isClosed ? "The client is closed" : "Cancelled on client");
    const { connection } = this;
    const fields = new (grpcJs().Metadata)();
    for (const [field, value] of metadata)
      fields.set(field, typeof value === "string" ? value : Buffer.from(value));
    const settings: grpc.CallOptions = deadlineMs === null ? {} : { deadline: deadlineMs };
    const path = `/${name}`;
    const encode = (value: unknown): Buffer => method.request.encode(value);
    const decode = (bytes: Buffer): unknown => method.response.decode(bytes);
    const source: Source = { error: undefined };
    if (method.responseStream) {
      const stream = method.requestStream
        ? connection.makeBidiStreamRequest(path, encode, decode, fields, settings)
        : connection.makeServerStreamRequest(path, encode, decode, request, fields, settings);
      this.watch(stream, signals);
      const outcome = outcomeOf(stream);
      stream.read(0); // before the first read, grpc-js buffers without limit
      if (method.requestStream)
        void sendAll(
          stream as grpc.ClientDuplexStream<unknown, unknown>,
          request as AsyncIterable<unknown>,
          source,
        );
      return readResponses(stream, outcome, source);
    }
    return new Promise((resolve, reject) => {
      let received = 0;
      const decodeOne = (bytes: Buffer): unknown => {
        if (++received > 1) return null;
        if (!method.requestStream) started.call?.startRead(); // grpc-js reads one message; without a second read the status would not arrive
        return decode(bytes);
      };
      const onReply = (error: grpc.ServiceError | null, value?: unknown): void => {
        if (received > 1) reject(new GrpcError("UNIMPLEMENTED", "The server sent more than one message"));
        else if (error === null) resolve(value);
        else reject(toClientError(error, source.error));
      };
      const started = method.requestStream
        ? connection.makeClientStreamRequest(path, encode, decodeOne, fields, settings, onReply)
        : connection.makeUnaryRequest(path, encode, decodeOne, request, fields, settings, onReply);
      this.watch(started, signals);
      if (method.requestStream)
        void sendAll(
          started as grpc.ClientWritableStream<unknown>,
          request as AsyncIterable<unknown>,
          source,
        );
    });
  }

  /** Cancels a call when a signal aborts or the client is closed, until it has its status. */
  private watch(call: ActiveCall, signals: readonly AbortSignal[]): void {
    const cancel = (): void => cancelCall(call);
    this.active.add(call);
    for (const signal of signals) signal.addEventListener("abort", cancel, { once: true });
    call.once("status", () => {
      this.active.delete(call);
      for (const signal of signals) signal.removeEventListener("abort", cancel);
    });
  }
}

/** Closes the source of a call that is never sent. */
const closeUnsent = ({ method, request }: CallToSend): void => {
  if (method.requestStream) void closeSource(request as AsyncIterable<unknown>);
};

/** Returns metadata by its name in lower case, because names are case-insensitive. Metadata of the call replaces metadata of the client. */
const metadataOf = (
  { metadata: common }: Pick<GrpcCallOptions, "metadata">,
  { metadata: own }: Pick<GrpcCallOptions, "metadata">,
): Map<string, string | Uint8Array> =>
  new Map(
    [common, own].flatMap((each = {}) =>
      Object.entries(each).map(([name, value]) => [name.toLowerCase(), value] as const),
    ),
  );

type ResponseStream = grpc.ClientReadableStream<unknown> | grpc.ClientDuplexStream<unknown, unknown>;

/** Records the error of a stream, which may fail before it is read: an error event without a listener would end the process. */
const outcomeOf = (stream: ResponseStream): { error: unknown } => {
  const outcome: { error: unknown } = { error: null };
  stream.once("error", (error) => {
    outcome.error = error;
  });
  return outcome;
};

/** Reads a stream lazily: the server is paused while the caller does not read. */
async function* readResponses(
  stream: ResponseStream,
  outcome: { readonly error: unknown },
  source: Readonly<Source>,
): AsyncGenerator<unknown> {
  try {
    for await (const message of stream) yield message;
    if (outcome.error !== null) throw outcome.error;
  } catch (error) {
    throw toClientError(error, source.error);
  } finally {
    stream.cancel(); // does nothing after the end
  }
}

const awaitResponse = async (response: unknown): Promise<unknown> => {
  const value = await response;
  if (value instanceof FailedCall) throw value.error;
  return value;
};

/**
 * Returns the responses; a reader that stops before its first read cancels the call. JavaScript ends a generator that has not started without running its
 * `finally`, and the same holds for the generators within it, such as generators of middleware.
 */
const cancellable = (response: unknown, cancel: () => void): AsyncGenerator<unknown> => {
  const reading = { hasBegun: false };
  const messages = iterate(response, reading);
  const end = messages.return.bind(messages);
  return Object.assign(messages, {
    return(value: unknown) {
      if (!reading.hasBegun) {
        cancel();
        messages.next().catch(() => {}); // rejects with CANCELLED
      }
      return end(value);
    },
  });
};

async function* iterate(response: unknown, reading: { hasBegun: boolean }): AsyncGenerator<unknown> {
  reading.hasBegun = true;
  const source = await response;
  if (source instanceof FailedCall) throw source.error;
  yield* source as AsyncIterable<unknown>;
}
