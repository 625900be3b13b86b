import { Context, type Invocation } from "@framework/core";
import { ClientDeadlineError } from "../status/client-deadline-error.ts";
import { GrpcError } from "../status/grpc-error.ts";
import type { CallMetadata } from "./call-metadata.ts";
import { ReplyMetadata } from "./reply-metadata.ts";

/** The connection of a call. */
export interface CallConnection {
  /** Address and port of the client, only the address over gRPC-Web; `null` if unknown. */
  readonly peer: string | null;
  /** Certificate of the client that TLS verified, in DER; `null` without one. */
  readonly certificate: Uint8Array | null;
}

/** Listener for the abort of a call. */
export interface AbortListener {
  aborted(reason: GrpcError): void;
}

/** Arguments of `new GrpcCall`, from the endpoint of the call. */
export interface CallParts {
  /** Service and method: `books.v1.Catalog/GetBook`. */
  readonly name: string;
  /** Metadata that the client sent. */
  readonly metadata: CallMetadata;
  /** Deadline in Unix milliseconds; `null` for none. */
  readonly deadlineMs: number | null;
  /** Deadline that the client set, in Unix milliseconds; `null` for none. @default null */
  readonly clientDeadlineMs?: number | null;
  /** Address and certificate of the client. */
  readonly connection: CallConnection;
  /** Aborts when the service drains. */
  readonly draining: AbortSignal;
  /** Context to share, such as that of an HTTP request. @default a new context */
  readonly context?: Context;
}

/**
 * Tolerance in milliseconds: a call that ends this close to the client's deadline counts as ended by it. The client waits by its own clock, and the server
 * counts from the arrival of the call.
 */
const CLOCK_TOLERANCE_MS = 50;

const noParams: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));

/** A call, for guards, middleware and handlers. Context, signal and metadata of the reply are created when first used. */
export class GrpcCall implements Invocation {
  readonly kind = "grpc";
  /** Service and method: `books.v1.Catalog/GetBook`. */
  readonly name: string;
  /** Metadata that the client sent. */
  readonly metadata: CallMetadata;
  /** Always empty: gRPC has no parameters in its paths. */
  readonly params: Readonly<Record<string, unknown>> = noParams;
  /** Deadline in Unix milliseconds: the client's or the limit of the method, whichever is earlier; `null` if there is neither. */
  readonly deadlineMs: number | null;
  /** Aborts when the service drains: an endless stream should then finish. All calls share the signal, so remove your listeners. */
  readonly draining: AbortSignal;
  private readonly clientDeadlineMs: number | null;
  private readonly connection: CallConnection;
  private ownContext: Context | undefined;
  private controller: AbortController | undefined;
  private abortReason: GrpcError | null = null;
  private isSettled = false;
  private listener: AbortListener | null = null;
  private createdHeaders: ReplyMetadata | undefined;
  private createdTrailers: ReplyMetadata | undefined;

  constructor({ name, metadata, deadlineMs, clientDeadlineMs, connection, draining, context }: CallParts) {
    this.name = name;
    this.metadata = metadata;
    this.deadlineMs = deadlineMs;
    this.clientDeadlineMs = clientDeadlineMs ?? null;
    this.connection = connection;
    this.draining = draining;
    this.ownContext = context;
  }

  /** Address and port of the client, only the address over gRPC-Web; `null` if unknown, and once the connection is closed. */
  get peer(): string | null {
    return this.connection.peer;
  }

  /** Certificate of the client that TLS verified, in DER; `null` without one. */
  get certificate(): Uint8Array | null {
    return this.connection.certificate;
  }

  /** The same as `metadata`, under the name that guards and authentication read. */
  get headers(): CallMetadata {
    return this.metadata;
  }

  /** Values of the call, such as the caller. */
  get context(): Context {
    return (this.ownContext ??= new Context());
  }

  /** Aborts when the client cancels or disconnects, at the deadline, and at the end of a drain. Pass it to databases and clients. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.abortReason !== null) this.controller.abort(this.abortReason);
    }
    return this.controller.signal;
  }

  /** Metadata sent before the first message. */
  get responseHeaders(): ReplyMetadata {
    return (this.createdHeaders ??= new ReplyMetadata());
  }

  /** Metadata sent with the status. */
  get trailers(): ReplyMetadata {
    return (this.createdTrailers ??= new ReplyMetadata());
  }

  /** Milliseconds until the deadline, at least 0; `null` without one. @param nowMs the current time in Unix milliseconds. @default Date.now() */
  remainingMs(nowMs: number = Date.now()): number | null {
    return this.deadlineMs === null ? null : Math.max(0, this.deadlineMs - nowMs);
  }

  /** Reason of the abort; `null` unless the call was aborted. */
  get aborted(): GrpcError | null {
    return this.abortReason;
  }

  /** The response headers; `null` if `responseHeaders` was never read. */
  get headersToSend(): ReplyMetadata | null {
    return this.createdHeaders ?? null;
  }

  /** The trailers; `null` if `trailers` was never read. */
  get trailersToSend(): ReplyMetadata | null {
    return this.createdTrailers ?? null;
  }

  /** Whether the call has completed or was aborted. */
  get hasEnded(): boolean {
    return this.isSettled || this.abortReason !== null;
  }

  /** Marks the call as completed: `abort` then does nothing. */
  settle(): void {
    this.isSettled = true;
    this.listener = null;
  }

  /** Ends the call early with a status. Does nothing if the call has completed or was already aborted. */
  abort(reason: GrpcError): void {
    if (this.abortReason !== null || this.isSettled) return;
    this.abortReason = reason;
    this.controller?.abort(reason);
    this.listener?.aborted(reason);
  }

  /** Aborts the call because its deadline, the client's or the limit of the method, has passed. */
  abortAtDeadline(): void {
    const isClients = this.deadlineMs === this.clientDeadlineMs;
    this.abort(
      isClients ? new ClientDeadlineError() : new GrpcError("DEADLINE_EXCEEDED", "Deadline exceeded"),
    );
  }

  /** Whether the client's own deadline has passed, or is at most 50 ms away. @param nowMs the current time in Unix milliseconds */
  isAtClientDeadline(nowMs: number): boolean {
    return this.clientDeadlineMs !== null && nowMs >= this.clientDeadlineMs - CLOCK_TOLERANCE_MS;
  }

  /** Sets the listener of the abort; calls it immediately if the call was already aborted. Replaces an earlier listener. @param listener `null` for none */
  onAbort(listener: AbortListener | null): void {
    this.listener = listener;
    if (this.abortReason !== null) listener?.aborted(this.abortReason);
  }
}
