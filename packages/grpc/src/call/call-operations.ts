import type { Attributes, OperationDefinition } from "@framework/core/feature";
import type { GrpcStatusName } from "../status/grpc-status.ts";
import type { GrpcCall } from "./grpc-call.ts";

/** A served call as an operation of the kind `grpc`, with the attributes of OpenTelemetry's conventions for RPC. */
export const servedCall: OperationDefinition<GrpcCall> = {
  kind: "grpc",
  role: "server",
  describe: (call) => ({ name: call.name, subject: call, attributes: rpcAttributes(call.name) }),
};

/** Longest name of an unknown method in the attributes of its operation, in characters. */
const MAX_UNKNOWN = 256;

/** A call that is refused because of its request headers. */
export interface RefusedCall {
  readonly call: GrpcCall;
  /** Whether the service has the method. */
  readonly isKnown: boolean;
}

/**
 * A call that is refused before it reaches a method, as an operation of the kind `grpc`. An unknown method has the name `_OTHER`: names are labels
 * of metrics, and clients could send any number of them.
 */
export const refusedCall: OperationDefinition<RefusedCall> = {
  kind: "grpc",
  role: "server",
  describe: ({ call, isKnown }) => ({
    name: isKnown ? call.name : "_OTHER",
    subject: call,
    attributes: isKnown
      ? rpcAttributes(call.name)
      : {
          "rpc.system": "grpc",
          "rpc.method": "_OTHER",
          "rpc.method_original": call.name.slice(0, MAX_UNKNOWN).toWellFormed(),
        },
  }),
};

/** Attributes of a call by OpenTelemetry's conventions. @param name service and method */
export const rpcAttributes = (name: string): Attributes => {
  const slash = name.lastIndexOf("/");
  return {
    "rpc.system": "grpc",
    "rpc.service": name.slice(0, slash),
    "rpc.method": name.slice(slash + 1),
  };
};

const faults: ReadonlySet<GrpcStatusName> = new Set<GrpcStatusName>([
  "UNKNOWN",
  "DEADLINE_EXCEEDED",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
]);

/** Whether a status counts as an error of the server. The other statuses are OK and errors of the client. */
export const isServerFault = (status: GrpcStatusName): boolean => faults.has(status);
