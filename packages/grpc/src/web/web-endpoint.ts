import { type HttpRequest, PayloadTooLargeError, Response, UnsupportedMediaTypeError } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { type BoundMethod, deadlineOf } from "../call/bound-method.ts";
import { ReceivedMetadata } from "../call/call-metadata.ts";
import type { CallOutcome, CallRunner } from "../call/call-runner.ts";
import { GrpcCall } from "../call/grpc-call.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { toGrpcError } from "../status/to-grpc-error.ts";
import { messageFrame, readFrame, trailersFrame } from "./web-frames.ts";
import { webDeadline, webFields, webTrailers } from "./web-fields.ts";
import { WebReply } from "./web-reply.ts";

/** Dependencies of the endpoint. */
export interface WebEndpointParts {
  readonly runner: CallRunner;
  readonly clock: Pick<Clock, "date">;
  readonly draining: AbortSignal;
  readonly maxMessageSize: number;
  readonly maxMetadataBytes: number;
  readonly debug: boolean;
}

const CONTENT_TYPE = /^application\/grpc-web(-text)?(?:\+proto)?\s*(?:;|$)/i;

/** The endpoint for gRPC-Web: unary calls and streams of responses on the app's own port. */
export class WebEndpoint {
  private readonly parts: WebEndpointParts;

  constructor(parts: WebEndpointParts) {
    this.parts = parts;
  }

  /** Serves one request. @param bound `null` for a method that does not exist. @throws UnsupportedMediaTypeError 415 for other content types */
  async serve(request: HttpRequest, name: string, bound: BoundMethod | null): Promise<Response> {
    const [matched, text] = CONTENT_TYPE.exec(request.contentType ?? "") ?? [];
    if (matched === undefined) throw new UnsupportedMediaTypeError("This path requires application/grpc-web");
    const isText = text !== undefined;
    const call = attempt(() => this.open(request, name, bound));
    if (GrpcError.is(call)) return malformedReply(call, isText);
    const reply = new WebReply(isText, (reason) => call.abort(reason));
    const cancel = (): void => reply.cancel();
    const { signal } = request;
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel(); // the client disconnected before the call began
    const done = (outcome: CallOutcome): void => {
      signal.removeEventListener("abort", cancel);
      reply.end(trailersFrame(webTrailers(outcome, call)));
    };
    try {
      const input = await this.message(request, isText, call, bound);
      // `message` throws if `bound` is null.
      this.parts.runner.serve({
        bound: bound as BoundMethod,
        call,
        isWeb: true,
        input,
        emit: (bytes) => reply.write(messageFrame(bytes)),
        done,
      });
    } catch (error) {
      call.settle();
      done(this.refusal(error));
    }
    await reply.headersReady;
    const response = responseOf(reply, isText);
    for (const [field, value] of call.headersToSend ?? [])
      response.appendHeader(field, typeof value === "string" ? value : Buffer.from(value).toString("base64"));
    return response;
  }

  private open(request: HttpRequest, name: string, bound: BoundMethod | null): GrpcCall {
    const { clock, draining } = this.parts;
    const nowMs = clock.date();
    const fields = webFields(request);
    const clientDeadlineMs = webDeadline(request.getHeader("grpc-timeout"), nowMs);
    return new GrpcCall({
      name,
      metadata: new ReceivedMetadata({ fields: () => fields }),
      deadlineMs: bound === null ? clientDeadlineMs : deadlineOf(clientDeadlineMs, bound, nowMs),
      clientDeadlineMs,
      connection: { peer: request.clientIp, certificate: null },
      draining,
      context: request.context,
    });
  }

  /** Reads the message of a request. @throws GrpcError, and the errors of `request.body()` */
  private async message(
    request: HttpRequest,
    isText: boolean,
    call: GrpcCall,
    bound: BoundMethod | null,
  ): Promise<Uint8Array> {
    const { maxMessageSize, maxMetadataBytes } = this.parts;
    if (bound === null) throw new GrpcError("UNIMPLEMENTED", `${call.name} does not exist`);
    if (bound.method.requestStream)
      throw new GrpcError("UNIMPLEMENTED", "gRPC-Web has no streams of requests; use a gRPC client");
    if (call.metadata.byteLength > maxMetadataBytes)
      throw new GrpcError(
        "RESOURCE_EXHAUSTED",
        `The metadata is larger than the limit of ${maxMetadataBytes} bytes`,
      );
    const body = await request.body();
    return readFrame(isText ? fromBase64(body) : body, maxMessageSize);
  }

  private refusal(error: unknown): GrpcError {
    if (!(error instanceof PayloadTooLargeError)) return toGrpcError(error, this.parts.debug);
    return new GrpcError(
      "RESOURCE_EXHAUSTED",
      `Received message larger than max (${this.parts.maxMessageSize})`,
    );
  }
}

const responseOf = ({ body }: WebReply, isText: boolean): Response =>
  Response.stream(body, {
    contentType: isText ? "application/grpc-web-text+proto" : "application/grpc-web+proto",
  });

/** Returns the reply to a request with malformed headers. */
const malformedReply = (error: GrpcError, isText: boolean): Response => {
  const reply = new WebReply(isText, () => {});
  reply.end(trailersFrame(webTrailers(error, { trailersToSend: null })));
  return responseOf(reply, isText);
};

/** Returns the result of a function, or the GrpcError that it throws. */
const attempt = <T>(run: () => T): T | GrpcError => {
  try {
    return run();
  } catch (error) {
    if (GrpcError.is(error)) return error;
    throw error;
  }
};

/** @throws GrpcError INTERNAL for text that is not Base64 */
const fromBase64 = (body: Uint8Array): Uint8Array => {
  const text = Buffer.from(body).toString("latin1").trim();
  if (!/^[A-Za-z0-9+/=]*$/.test(text)) throw new GrpcError("INTERNAL", "The request is not Base64");
  // The text may be several encoded parts, each with its own padding.
  return Buffer.concat(text.split(/=+/).map((part) => Buffer.from(part, "base64")));
};
