import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const grpcErrors: ErrorCatalogue = {
  GRPC_BAD_METADATA: {
    summary: "a name or value of metadata is not allowed in gRPC or HTTP/2",
    action: "follow the rule that the message states; values of names that end in `-bin` are bytes",
  },
  GRPC_BAD_MESSAGE: {
    summary: "a value does not have the type of its field, or a received integer is beyond 2^53 - 1",
    action: "pass a value of the type that the message names",
  },
  GRPC_BAD_SERVICE: {
    summary:
      "a service or method has a malformed or taken name, an implementation for a method that does not exist, or is a value of another type",
    action: "correct the service or method that the message names",
  },
  GRPC_BAD_TLS: {
    summary: "certificate and key cannot be loaded or used",
    action:
      "correct the file or option by the reason in the message; a failed reload keeps the current certificate",
  },
  GRPC_NO_JSON_SCHEMA: {
    summary: "a schema comes from a library without Standard JSON Schema",
    action: "use zod 4.2, ArkType 2.1.28 or Valibot with its converter, or write a `.proto`",
  },
  GRPC_NOT_ENABLED: {
    summary: "services were added, but gRPC is not enabled",
    action: "call `enableGrpc()`",
  },
  GRPC_NOT_STARTED: {
    summary: "a service was read before the app started",
    action: "start the app first",
  },
  GRPC_NUMBERS_UNRECORDED: {
    summary: "in production a service of schemas has no `.proto` that records its field numbers",
    action: "give the service `proto`, and write the file with `framework-grpc`",
  },
  GRPC_PROTO_STALE: {
    summary: "the `.proto` of a service is missing or does not match its schemas",
    action: "run `framework-grpc FILE`, and commit the result",
  },
  GRPC_UNMAPPABLE: {
    summary: "a schema has no equivalent in Protocol Buffers",
    action: "change the field that the message names, as the message says",
  },
};
