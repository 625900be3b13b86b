export { type Grpc, grpc } from "./grpc.ts";
export { GrpcConfig, type GrpcConfigRecord } from "./config/grpc-config.ts";
export type { Certificates, GrpcTls } from "./config/grpc-tls.ts";
export { type CallConnection, GrpcCall, type CallParts } from "./call/grpc-call.ts";
export type { CallMetadata } from "./call/call-metadata.ts";
export type { ReplyMetadata } from "./call/reply-metadata.ts";
export type { CallMiddleware, CallOutcome } from "./call/call-runner.ts";
export type {
  CallRules,
  MethodHandler,
  MethodImplementation,
  ServiceImplementation,
  ServiceOptions,
} from "./call/implementation.ts";
export type { GrpcService, MethodShape, MethodShapes } from "./service/grpc-service.ts";
export { grpcService, type SchemaServiceOptions } from "./definitions/schema-service.ts";
export type { MethodSchemas, SchemaService, ServiceSchemas, ShapesOf } from "./service/schema-service.ts";
export {
  protoService,
  type ProtoServiceOptions,
  type ShapesOfHandlers,
} from "./definitions/proto-service.ts";
export { structService, type StructShape } from "./definitions/struct-service.ts";
export { GrpcError, type GrpcErrorOptions } from "./status/grpc-error.ts";
export { GrpcStatus, type GrpcStatusName } from "./status/grpc-status.ts";
export type { FieldViolation, StatusDetail } from "./status/status-detail.ts";
export { grpcErrors } from "./error-codes.ts";
