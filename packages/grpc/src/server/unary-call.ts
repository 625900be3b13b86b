import type { ServerHttp2Stream } from "node:http2";
import { TLSSocket } from "node:tls";
import type { Clock } from "@framework/core/feature";
import { type BoundMethod, deadlineOf } from "../call/bound-method.ts";
import { type MetadataFields, type MetadataSource, ReceivedMetadata } from "../call/call-metadata.ts";
import type { CallOutcome, CallRunner, CallWork } from "../call/call-runner.ts";
import { type AbortListener, type CallConnection, GrpcCall } from "../call/grpc-call.ts";
import { timeoutMs } from "../metadata/grpc-timeout.ts";
import type { GrpcError } from "../status/grpc-error.ts";
import { cancellation } from "./cancellation.ts";
import type { HeaderFields } from "./check-headers.ts";
import { requestMetadata } from "./request-metadata.ts";
import { frameMessage, MessageReader } from "./message-reader.ts";
import { failureHeaders, headersOf, unsendableHeaders } from "./reply-fields.ts";
import type { UnreadStreams } from "./unread-streams.ts";

/** Dependencies that all unary calls share. */
export interface UnaryCallParts {
  readonly runner: CallRunner;
  readonly clock: Pick<Clock, "date">;
  readonly draining: AbortSignal;
  readonly unread: UnreadStreams;
  readonly maxMessageSize: number;
}

const withTrailers = Object.freeze({ waitForTrailers: true });
const endOfStream = Object.freeze({ endStream: true });

/** One unary call on its stream: one object holds everything that a call needs, to create less garbage per call. */
export class UnaryCall implements CallWork, CallConnection, MetadataSource, AbortListener {
  readonly bound: BoundMethod;
  readonly call: GrpcCall;
  input: Uint8Array = new Uint8Array(0);
  private readonly parts: UnaryCallParts;
  private readonly stream: ServerHttp2Stream;
  private readonly headers: HeaderFields;
  private readonly reader: MessageReader = new MessageReader();
  private reply: Buffer | null = null;

  constructor(parts: UnaryCallParts, bound: BoundMethod, stream: ServerHttp2Stream, headers: HeaderFields) {
    const nowMs = parts.clock.date();
    const timeout = headers["grpc-timeout"];
    const waitMs = typeof timeout === "string" ? timeoutMs(timeout) : null;
    const clientDeadlineMs = waitMs === null ? null : nowMs + waitMs;
    this.parts = parts;
    this.bound = bound;
    this.stream = stream;
    this.headers = headers;
    this.call = new GrpcCall({
      name: bound.name,
      metadata: new ReceivedMetadata(this),
      deadlineMs: deadlineOf(clientDeadlineMs, bound, nowMs),
      clientDeadlineMs,
      connection: this,
      draining: parts.draining,
    });
  }

  /** Adds a piece of the body. */
  onData(piece: Buffer): void {
    if (this.call.hasEnded) return; // the rest of the body of a refused call
    const problem = this.reader.add(piece, this.parts.maxMessageSize);
    if (problem !== null) this.parts.runner.refuse(this, problem);
  }

  /** Serves the call once its body has ended. */
  onEnd(): void {
    if (this.call.hasEnded) return;
    const message = this.reader.end();
    if (!Buffer.isBuffer(message)) return this.parts.runner.refuse(this, message);
    this.input = message;
    this.parts.runner.serve(this);
  }

  /** Aborts the call once its stream is closed. */
  onClose(): void {
    this.parts.unread.delete(this.stream);
    if (!this.call.hasEnded) this.call.abort(cancellation(this.call, this.parts.clock.date()));
  }

  aborted(reason: GrpcError): void {
    this.parts.runner.refuse(this, reason);
  }

  emit(bytes: Buffer): void {
    this.reply = bytes;
  }

  done(outcome: CallOutcome): void {
    const { stream } = this;
    if (stream.destroyed || stream.closed) return;
    this.parts.unread.add(stream);
    try {
      this.send(outcome);
    } catch {
      // A later version of Node may reject names that `ReplyMetadata` allows; the client must still get a status.
      stream.respond(unsendableHeaders, endOfStream);
    }
  }

  fields(): MetadataFields {
    return requestMetadata(this.headers);
  }

  get peer(): string | null {
    const socket = this.stream.session?.socket;
    const address = socket?.remoteAddress; // `undefined` once the connection is closed
    return address === undefined ? null : `${address}:${socket?.remotePort}`;
  }

  get certificate(): Uint8Array | null {
    const socket = this.stream.session?.socket;
    if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
    return (socket.getPeerCertificate() as { readonly raw?: Uint8Array }).raw ?? null; // an empty object without a certificate
  }

  private send(outcome: CallOutcome): void {
    const { stream, call } = this;
    if (outcome !== null) return stream.respond(failureHeaders(outcome, call), endOfStream);
    stream.respond(headersOf(call), withTrailers);
    stream.end(frameMessage(this.reply ?? Buffer.alloc(0)));
  }
}
