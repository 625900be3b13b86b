import type * as Grpc from "@grpc/grpc-js";
import type { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import type { Writable } from "node:stream";
import type { Clock } from "@framework/core/feature";
import { type BoundMethod, deadlineOf } from "../call/bound-method.ts";
import { type MetadataFields, type MetadataSource, ReceivedMetadata } from "../call/call-metadata.ts";
import type { CallOutcome, CallRunner, CallWork } from "../call/call-runner.ts";
import { type CallConnection, GrpcCall } from "../call/grpc-call.ts";
import { cancellation } from "./cancellation.ts";
import { receivedFields } from "./received-fields.ts";
import { receivedMessages } from "./received-messages.ts";
import { StatusWriter } from "./status-writer.ts";
import type { UnreadStreams } from "./unread-streams.ts";
import { writeWithin } from "./write-within.ts";

type Bytes = Uint8Array;
type UnaryCall = Grpc.ServerUnaryCall<Bytes, Buffer>;
type ReadableCall = Grpc.ServerReadableStream<Bytes, Buffer>;
type WritableCall = Grpc.ServerWritableStream<Bytes, Buffer>;
type DuplexCall = Grpc.ServerDuplexStream<Bytes, Buffer>;
type AnyCall = UnaryCall | ReadableCall | WritableCall | DuplexCall;
type Callback = Grpc.sendUnaryData<Buffer>;

/** Dependencies of the door. */
export interface NativeDoorParts {
  readonly grpc: typeof Grpc;
  readonly runner: CallRunner;
  readonly clock: Pick<Clock, "date">;
  readonly draining: AbortSignal;
  readonly unread: UnreadStreams;
}

/** Messages pass grpc-js as bytes: the runner decodes them, the same way for every door. */
const asIs = (bytes: Buffer): Buffer => bytes;

/** Sent messages are never absent; the types of grpc-js allow that. */
const asSent = (bytes: Buffer | undefined): Buffer => bytes ?? Buffer.alloc(0);

/** What a handler reads: the messages of a client, or its only one. */
const inputOf = (bound: BoundMethod, native: AnyCall, call: GrpcCall): Bytes | AsyncIterable<Bytes> =>
  bound.method.requestStream
    ? receivedMessages(native as ReadableCall | DuplexCall, call)
    : (native as UnaryCall | WritableCall).request;

/** The door for gRPC over HTTP/2 to streams of messages, and to unary calls that `UnaryDoor` leaves: registers methods with a server of grpc-js. */
export class NativeDoor {
  private readonly parts: NativeDoorParts;
  private readonly statuses: StatusWriter;

  constructor(parts: NativeDoorParts) {
    this.parts = parts;
    this.statuses = new StatusWriter(parts.grpc);
  }

  /** Adds a method to the server. */
  register(server: Grpc.Server, bound: BoundMethod): void {
    const { requestStream, responseStream } = bound.method;
    const path = `/${bound.name}`;
    if (requestStream && responseStream)
      server.register(path, (call: DuplexCall) => this.streamed(bound, call), asSent, asIs, "bidi");
    else if (responseStream)
      server.register(path, (call: WritableCall) => this.streamed(bound, call), asSent, asIs, "serverStream");
    else if (requestStream)
      server.register(
        path,
        (call: ReadableCall, callback: Callback) => this.single(bound, call, callback),
        asSent,
        asIs,
        "clientStream",
      );
    else
      server.register(
        path,
        (call: UnaryCall, callback: Callback) => this.single(bound, call, callback),
        asSent,
        asIs,
        "unary",
      );
  }

  /** Serves a method that answers with one message. */
  private single(bound: BoundMethod, native: AnyCall, callback: Callback): void {
    this.parts.runner.serve(new SingleAnswer(this, bound, native, callback));
  }

  /** Sends the one message of a call, or its error. */
  answer(
    native: AnyCall,
    call: GrpcCall,
    callback: Callback,
    reply: Buffer | null,
    outcome: CallOutcome,
  ): void {
    this.parts.unread.add(streamOf(native));
    if (outcome !== null) return callback(this.statuses.of(outcome, call));
    this.sendHeaders(native, call);
    callback(null, reply, call.trailersToSend === null ? undefined : this.statuses.trailersOf(call));
  }

  /** Serves a method that answers with a stream. */
  private streamed(bound: BoundMethod, native: WritableCall | DuplexCall): void {
    const call = this.open(bound, native);
    const stream = native as unknown as Writable; // both are; grpc-js narrows their `end`
    let hasBegun = false;
    const begin = (): void => {
      if (!hasBegun) this.sendHeaders(native, call);
      hasBegun = true;
    };
    const write = writeWithin(stream, call);
    const done = (outcome: CallOutcome): void => {
      this.parts.unread.add(streamOf(native));
      if (outcome !== null) return void stream.emit("error", this.statuses.of(outcome, call));
      begin();
      native.end(this.statuses.trailersOf(call));
    };
    const emit = (bytes: Buffer): void | Promise<void> => {
      begin();
      return write(bytes);
    };
    this.parts.runner.serve({ bound, call, input: inputOf(bound, native, call), emit, done });
  }

  /** Makes the call that handlers see, which ends early with the one of grpc-js. */
  open(bound: BoundMethod, native: AnyCall): GrpcCall {
    const { clock, draining, unread } = this.parts;
    const stream = streamOf(native);
    const deadline = native.getDeadline();
    const clientMs = deadline === Infinity ? null : Number(deadline);
    const source = new NativeSource(native);
    const call = new GrpcCall({
      name: bound.name,
      metadata: new ReceivedMetadata(source),
      deadlineMs: deadlineOf(clientMs, bound, clock.date()),
      connection: source,
      draining,
    });
    // grpc-js reports a cancellation, a lost connection and a passed deadline as one event, and also after the answer, when the call is settled.
    (native as EventEmitter).on("cancelled", () => {
      unread.delete(stream);
      if (call.isOver) return; // an error with its stack for each answered call took 5 % of a call's CPU time
      call.abort(cancellation(clientMs, clock.date()));
    });
    return call;
  }

  private sendHeaders(native: AnyCall, call: GrpcCall): void {
    const { headersToSend } = call;
    if (headersToSend !== null && !headersToSend.isEmpty)
      native.sendMetadata(this.statuses.metadataOf(headersToSend));
  }
}

/** A call that is answered with one message: one object, where closures would be three. */
class SingleAnswer implements CallWork {
  readonly bound: BoundMethod;
  readonly call: GrpcCall;
  readonly input: Bytes | AsyncIterable<Bytes>;
  private readonly door: NativeDoor;
  private readonly native: AnyCall;
  private readonly callback: Callback;
  private reply: Buffer | null = null;

  constructor(door: NativeDoor, bound: BoundMethod, native: AnyCall, callback: Callback) {
    this.door = door;
    this.bound = bound;
    this.native = native;
    this.callback = callback;
    this.call = door.open(bound, native);
    this.input = inputOf(bound, native, this.call);
  }

  emit(bytes: Buffer): void {
    this.reply = bytes;
  }

  done(outcome: CallOutcome): void {
    this.door.answer(this.native, this.call, this.callback, this.reply, outcome);
  }
}

/** The stream of HTTP/2 within a call of grpc-js, whose exact version is a dependency. */
const streamOf = (native: AnyCall): ServerHttp2Stream => {
  const { call } = native as unknown as { readonly call: { readonly stream: ServerHttp2Stream } };
  return call.stream;
};

/** Metadata and connection of a call, read when asked for: the socket of HTTP/2 is a proxy, and a certificate is parsed each time. */
class NativeSource implements CallConnection, MetadataSource {
  private readonly native: AnyCall;

  constructor(native: AnyCall) {
    this.native = native;
  }

  fields(): MetadataFields {
    return receivedFields(this.native.metadata);
  }

  get peer(): string | null {
    const peer = this.native.getPeer();
    return peer === "unknown" ? null : peer; // of a connection that is gone
  }

  get certificate(): Uint8Array | null {
    return this.native.getAuthContext().sslPeerCertificate?.raw ?? null;
  }
}
