import type { EntryPoint } from "@framework/core/feature";
import type { BoundMethod } from "../call/bound-method.ts";
import type { GrpcCall } from "../call/grpc-call.ts";
import { ClientDeadlineError } from "../status/client-deadline-error.ts";
import { httpStatusOf } from "../status/http-status.ts";

/** The gRPC port as an entry point of the app, whose limits, guards and breakers protect it. */
export const grpcEntry = (methods: ReadonlyMap<string, BoundMethod>): EntryPoint => ({
  kind: "grpc",
  names: [...methods.values()].filter(({ isExempt }) => !isExempt).map(({ name }) => name),
  streams: new Set([...methods.values()].filter(isStream).map(({ name }) => name)),
  remoteAddress: (call) => (call as GrpcCall).peer?.replace(/:\d+$/, "") ?? null, // every invocation of this port is a GrpcCall
  // A client could otherwise open the circuit of a method for all clients, with deadlines of a few milliseconds.
  statusOf: (outcome) => (outcome instanceof ClientDeadlineError ? 499 : httpStatusOf(outcome)),
});

const isStream = ({ method }: BoundMethod): boolean => method.requestStream || method.responseStream;
