import type * as Grpc from "@grpc/grpc-js";
import type { EventEmitter } from "node:events";
import type { ServerHttp2Stream } from "node:http2";
import type { Writable } from "node:stream";
import type { Clock } from "@framework/core/feature";
import { type BoundMethod, deadlineOf } from "../call/bound-method.ts";
import { type MetadataFields, type MetadataSource, ReceivedMetadata } from "../call/call-metadata.ts";
import type { CallOutcome, CallRunner, CallWork } from "../call/call-runner.ts";
import { type AbortListener, type CallConnection, GrpcCall } from "../call/grpc-call.ts";
import type { GrpcError } from "../status/grpc-error.ts";
import { cancellation } from "./cancellation.ts";
import { IncomingMessages } from "./incoming-messages.ts";
import { receivedFields } from "./received-fields.ts";
import { onlyMessage, receivedMessages } from "./received-messages.ts";
import { StatusWriter } from "./status-writer.ts";
import type { UnreadStreams } from "./unread-streams.ts";
import { writeWithin } from "./write-within.ts";

type DuplexCall = Grpc.ServerDuplexStream<Uint8Array, Buffer>;

/** Dependencies of the endpoint. */
export interface NativeEndpointParts {
  readonly grpc: typeof Grpc;
  readonly runner: CallRunner;
  readonly clock: Pick<Clock, "date">;
  readonly draining: AbortSignal;
  readonly unread: UnreadStreams;
  readonly maxMessageSize: number;
}

/** Passes messages through grpc-js as bytes: the runner decodes them for every endpoint. */
const asIs = (bytes: Buffer): Buffer => bytes;

/** Sent messages are never undefined; only the types of grpc-js allow it. */
const asSent = (bytes: Buffer | undefined): Buffer => bytes ?? Buffer.alloc(0);

/** Serves streaming calls over HTTP/2, and unary calls that `UnaryEndpoint` does not take, through a server of grpc-js. */
export class NativeEndpoint {
  private readonly parts: NativeEndpointParts;
  private readonly statuses: StatusWriter;

  constructor(parts: NativeEndpointParts) {
    this.parts = parts;
    this.statuses = new StatusWriter(parts.grpc);
  }

  /** Registers every method as bidirectional: for other kinds grpc-js itself would read and inflate the message before the call starts. */
  register(server: Grpc.Server, bound: BoundMethod): void {
    server.register(
      `/${bound.name}`,
      (native: DuplexCall) => new NativeCall(this.parts, this.statuses, bound, native).start(),
      asSent,
      asIs,
      "bidi",
    );
  }
}

/** One call of grpc-js, which is used only for the reply: the client's messages are read from the HTTP/2 stream. */
class NativeCall implements CallWork, AbortListener {
  readonly bound: BoundMethod;
  readonly call: GrpcCall;
  input: Uint8Array | AsyncIterable<Uint8Array> = new Uint8Array(0);
  private readonly parts: NativeEndpointParts;
  private readonly statuses: StatusWriter;
  private readonly native: DuplexCall;
  private readonly stream: ServerHttp2Stream;
  private readonly messages: IncomingMessages;
  private readonly write: (bytes: Buffer) => void | Promise<void>;
  private reply: Buffer | null = null;
  private hasBegun = false;

  constructor(parts: NativeEndpointParts, statuses: StatusWriter, bound: BoundMethod, native: DuplexCall) {
    const { stream, incomingEncoding: encoding } = internalsOf(native);
    this.parts = parts;
    this.statuses = statuses;
    this.bound = bound;
    this.native = native;
    this.stream = stream;
    this.call = this.open();
    const { maxMessageSize } = parts;
    this.messages = new IncomingMessages({ stream, call: this.call, encoding, maxMessageSize });
    this.write = writeWithin(native as unknown as Writable, this.call); // grpc-js narrows its `end`
  }

  /** Serves the call: immediately if the client sends a stream, otherwise when its message has arrived. */
  start(): void {
    const { runner } = this.parts;
    if (this.bound.method.requestStream) {
      this.input = receivedMessages(this.messages, this.call);
      return runner.serve(this);
    }
    runner.awaitMessage(this);
    void this.serveOne();
  }

  emit(bytes: Buffer): void | Promise<void> {
    if (!this.bound.method.responseStream) {
      this.reply = bytes;
      return;
    }
    this.begin();
    return this.write(bytes);
  }

  done(outcome: CallOutcome): void {
    const { native, call, statuses, stream } = this;
    this.messages.stop();
    if (!stream.closed && !stream.destroyed) this.parts.unread.add(stream);
    if (outcome !== null) return void native.emit("error", statuses.of(outcome, call));
    this.begin();
    if (this.reply !== null) native.write(this.reply);
    native.end(statuses.trailersOf(call));
  }

  aborted(reason: GrpcError): void {
    this.parts.runner.refuse(this, reason);
  }

  private async serveOne(): Promise<void> {
    try {
      this.input = await onlyMessage(this.messages, this.call);
    } catch {
      return; // the call was aborted, which has sent its status
    }
    this.parts.runner.serve(this);
  }

  /** Creates the call that handlers get; it is aborted when the call of grpc-js is cancelled. */
  private open(): GrpcCall {
    const { native, stream, bound } = this;
    const { clock, draining, unread } = this.parts;
    const deadline = native.getDeadline();
    const clientDeadlineMs = deadline === Infinity ? null : Number(deadline);
    const source = new NativeSource(native);
    const call = new GrpcCall({
      name: bound.name,
      metadata: new ReceivedMetadata(source),
      deadlineMs: deadlineOf(clientDeadlineMs, bound, clock.date()),
      clientDeadlineMs,
      connection: source,
      draining,
    });
    // grpc-js reports a cancellation, a lost connection and a passed deadline as one event, also after the reply, when the call has ended.
    (native as EventEmitter).on("cancelled", () => {
      unread.delete(stream);
      if (call.hasEnded) return; // creating an error with a stack for each ended call took 5 % of its CPU time
      call.abort(cancellation(call, clock.date()));
    });
    return call;
  }

  /** Sends the response headers, before the first message or the end. */
  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const { headersToSend } = this.call;
    if (headersToSend !== null && !headersToSend.isEmpty)
      this.native.sendMetadata(this.statuses.metadataOf(headersToSend));
  }
}

/** Returns the HTTP/2 stream and the message encoding inside a call of grpc-js, whose version is pinned. */
const internalsOf = (
  native: DuplexCall,
): { readonly stream: ServerHttp2Stream; readonly incomingEncoding: string } =>
  (native as unknown as { readonly call: ReturnType<typeof internalsOf> }).call;

/** Metadata and connection of a call, read on demand: the socket of an HTTP/2 session is a slow proxy, and Node parses the certificate on each access. */
class NativeSource implements CallConnection, MetadataSource {
  private readonly native: DuplexCall;

  constructor(native: DuplexCall) {
    this.native = native;
  }

  fields(): MetadataFields {
    return receivedFields(this.native.metadata);
  }

  get peer(): string | null {
    const peer = this.native.getPeer();
    return peer === "unknown" ? null : peer; // the connection is closed
  }

  get certificate(): Uint8Array | null {
    return this.native.getAuthContext().sslPeerCertificate?.raw ?? null;
  }
}
