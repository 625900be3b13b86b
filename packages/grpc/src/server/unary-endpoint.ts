import type { ServerHttp2Stream } from "node:http2";
import type { BoundMethod } from "../call/bound-method.ts";
import type { HeadFields } from "./check-head.ts";
import { trailersOf, unsendableTrailers } from "./reply-fields.ts";
import { UnaryCall, type UnaryCallParts } from "./unary-call.ts";

/** A stream with its call, as a property: a map of streams would keep calls alive until a full collection, and closures would cost one object per event. */
interface CallStream extends ServerHttp2Stream {
  [callKey]?: UnaryCall | undefined;
}

const callKey: unique symbol = Symbol("call");

/**
 * Serves unary calls that are not compressed directly on their HTTP/2 streams, without grpc-js, which creates as many objects per call as
 * the stream itself.
 */
export class UnaryEndpoint {
  private readonly parts: UnaryCallParts;
  /** By path. */
  private readonly methods: ReadonlyMap<string, BoundMethod>;

  constructor(parts: UnaryCallParts, methods: Iterable<BoundMethod>) {
    this.parts = parts;
    this.methods = new Map(
      [...methods]
        .filter(({ method }) => !method.requestStream && !method.responseStream)
        .map((bound) => [`/${bound.name}`, bound]),
    );
  }

  /** Serves a call whose head was checked; returns false for calls of other endpoints. */
  serve(stream: CallStream, head: HeadFields): boolean {
    const bound = this.methods.get(head[":path"] as string);
    const encoding = head["grpc-encoding"];
    if (bound === undefined || (encoding !== undefined && encoding !== "identity")) return false;
    const call = new UnaryCall(this.parts, bound, stream, head);
    stream[callKey] = call;
    stream.on("error", ignored);
    stream.on("data", received);
    stream.on("end", bodyEnded);
    stream.on("wantTrailers", sendTrailers);
    stream.on("close", closed);
    this.parts.runner.awaitMessage(call);
    return true;
  }
}

// One function per event for all calls; the stream has the call.

function received(this: CallStream, piece: Buffer): void {
  this[callKey]?.received(piece);
}

function bodyEnded(this: CallStream): void {
  this[callKey]?.complete();
}

function sendTrailers(this: CallStream): void {
  const call = this[callKey]?.call;
  if (call === undefined || this.destroyed || this.closed) return;
  try {
    this.sendTrailers(trailersOf(call));
  } catch {
    // A later Node may refuse names that `ReplyMetadata` allows; throwing here would end the process.
    this.sendTrailers(unsendableTrailers);
  }
}

function closed(this: CallStream): void {
  const call = this[callKey];
  this[callKey] = undefined; // Node keeps closed streams until the next full collection; their calls are freed earlier
  call?.closed();
}

/** An error closes the stream, which ends the call. */
const ignored = (): void => {};
