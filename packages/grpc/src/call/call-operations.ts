import type { Attributes, OperationDefinition } from "@framework/core/feature";
import type { GrpcStatusName } from "../status/grpc-status.ts";
import type { GrpcCall } from "./grpc-call.ts";

/** A served call as an operation of the kind `grpc`, with the attributes of OpenTelemetry's conventions for RPC. */
export const servedCall: OperationDefinition<GrpcCall> = {
  kind: "grpc",
  role: "server",
  describe: (call) => ({ name: call.name, subject: call, attributes: rpcAttributes(call.name) }),
};

/** Attributes of a call, after OpenTelemetry's conventions. @param name service and method */
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

/** Whether a status counts as an error of the server; others are the client's. */
export const isServerFault = (status: GrpcStatusName): boolean => faults.has(status);
