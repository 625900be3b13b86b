import type * as Grpc from "@grpc/grpc-js";
import type { GrpcCall } from "../call/grpc-call.ts";
import type { GrpcError } from "../status/grpc-error.ts";
import { statusMessage } from "../status/status-message.ts";
import { encodeDetails } from "../status/status-details-codec.ts";

/** Converts errors and metadata to the types of grpc-js; `NativeEndpoint` sends them. */
export class StatusWriter {
  private readonly grpc: typeof Grpc;

  constructor(grpc: typeof Grpc) {
    this.grpc = grpc;
  }

  /** Returns the status of a failed call, with its trailers, and the metadata and details of the error. */
  of(error: GrpcError, call: GrpcCall): Grpc.ServerErrorResponse {
    const { statusCode: code } = error;
    const details = statusMessage(error.message);
    const metadata = this.trailersOf(call);
    for (const [name, value] of Object.entries(error.metadata)) metadata.set(name, asValue(value));
    if (error.details.length > 0) {
      const bytes = encodeDetails(code, details, error.details);
      metadata.set("grpc-status-details-bin", Buffer.from(bytes));
    }
    return { name: "Error", message: details, code, details, metadata };
  }

  /** Returns the trailers that the handler set. */
  trailersOf({ trailersToSend }: GrpcCall): Grpc.Metadata {
    return trailersToSend === null ? new this.grpc.Metadata() : this.metadataOf(trailersToSend);
  }

  metadataOf(values: Iterable<[name: string, value: string | Uint8Array]>): Grpc.Metadata {
    const metadata = new this.grpc.Metadata();
    for (const [name, value] of values) metadata.add(name, asValue(value));
    return metadata;
  }
}

const asValue = (value: string | Uint8Array): string | Buffer =>
  typeof value === "string" ? value : Buffer.from(value);
