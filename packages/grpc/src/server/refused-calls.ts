import type { ServerHttp2Stream } from "node:http2";
import type { Operations } from "@framework/core/feature";
import { isServerFault, type RefusedCall } from "../call/call-operations.ts";
import { ReceivedMetadata } from "../call/call-metadata.ts";
import { GrpcCall } from "../call/grpc-call.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { type GrpcStatusName, statusName } from "../status/grpc-status.ts";
import type { HeaderFields, HeadersOnlyReply, HeaderRules } from "./check-headers.ts";
import { requestMetadata } from "./request-metadata.ts";

/** Dependencies of `RefusedCalls`. */
export interface RefusedCallsParts extends Pick<HeaderRules, "methods"> {
  readonly operations: Operations<RefusedCall>;
  readonly draining: AbortSignal;
}

/** Publishes operations for calls that are refused because of their request headers, such as calls of unknown methods. They never reach a runner. */
export class RefusedCalls {
  private readonly parts: RefusedCallsParts;

  constructor(parts: RefusedCallsParts) {
    this.parts = parts;
  }

  /** Publishes the operation of one call. Ignores a refusal without a gRPC status: the request was not a gRPC call. */
  record(stream: ServerHttp2Stream, headers: HeaderFields, refusal: HeadersOnlyReply): void {
    const { operations, methods, draining } = this.parts;
    const code = refusal["grpc-status"];
    if (typeof code !== "number" || !operations.isObserved) return;
    const { [":path"]: path = "" } = headers;
    const name = String(path).slice(1);
    const socket = stream.session?.socket;
    const call = new GrpcCall({
      name,
      metadata: new ReceivedMetadata({ fields: () => requestMetadata(headers) }),
      deadlineMs: null,
      connection: {
        peer: socket?.remoteAddress === undefined ? null : `${socket.remoteAddress}:${socket.remotePort}`,
        certificate: null,
      },
      draining,
    });
    const operation = operations.begin({ call, isKnown: methods.has(name) });
    const status = statusName(code) as Exclude<GrpcStatusName, "OK">; // a refusal is never OK
    if (isServerFault(status))
      operation?.fail(new GrpcError(status, decodeURI(String(refusal["grpc-message"]))));
    operation?.end({ "rpc.grpc.status_code": code });
  }
}
