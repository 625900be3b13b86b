import type { ServerHttp2Stream } from "node:http2";
import type { BoundMethod } from "../call/bound-method.ts";
import type { HeaderFields } from "./check-headers.ts";
import { trailersOf, unsendableTrailers } from "./reply-fields.ts";
import { UnaryCall, type UnaryCallParts } from "./unary-call.ts";

/** A stream with its call as a property: a map of streams would retain calls until a full garbage collection, and closures would cost one object per event. */
interface CallStream extends ServerHttp2Stream {
  [callKey]?: UnaryCall | undefined;
}

const callKey: unique symbol = Symbol("call");

/**
 * Serves uncompressed unary calls directly on their HTTP/2 streams, without grpc-js, which creates as many objects per call as the stream itself.
 */
export class UnaryEndpoint {
  private readonly parts: UnaryCallParts;
  /** Methods by path. */
  private readonly methods: ReadonlyMap<string, BoundMethod>;

  constructor(parts: UnaryCallParts, methods: Iterable<BoundMethod>) {
    this.parts = parts;
    this.methods = new Map(
      [...methods]
        .filter(({ method }) => !method.requestStream && !method.responseStream)
        .map((bound) => [`/${bound.name}`, bound]),
    );
  }

  /** Serves a call whose headers were checked. Returns false, and does nothing, for streaming and compressed calls. */
  serve(stream: CallStream, headers: HeaderFields): boolean {
    const bound = this.methods.get(headers[":path"] as string);
    const encoding = headers["grpc-encoding"];
    if (bound === undefined || (encoding !== undefined && encoding !== "identity")) return false;
    const call = new UnaryCall(this.parts, bound, stream, headers);
    stream[callKey] = call;
    stream.on("error", ignoreError);
    stream.on("data", onData);
    stream.on("end", onEnd);
    stream.on("wantTrailers", sendTrailers);
    stream.on("close", onClose);
    this.parts.runner.awaitMessage(call);
    return true;
  }
}

// One function per event serves all calls; the call is a property of the stream.

function onData(this: CallStream, piece: Buffer): void {
  this[callKey]?.onData(piece);
}

function onEnd(this: CallStream): void {
  this[callKey]?.onEnd();
}

function sendTrailers(this: CallStream): void {
  const call = this[callKey]?.call;
  if (call === undefined || this.destroyed || this.closed) return;
  try {
    this.sendTrailers(trailersOf(call));
  } catch {
    // A later version of Node may reject names that `ReplyMetadata` allows; throwing here would end the process.
    this.sendTrailers(unsendableTrailers);
  }
}

function onClose(this: CallStream): void {
  const call = this[callKey];
  this[callKey] = undefined; // frees the call now: Node retains closed streams until the next full garbage collection
  call?.onClose();
}

/** Ignores an error: it also closes the stream, which ends the call. */
const ignoreError = (): void => {};
