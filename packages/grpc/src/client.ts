// Entry point of `@framework/grpc/client`.
export { type ClientMethods, type GrpcClient, grpcClient } from "./client/grpc-client.ts";
export type {
  GrpcCallOptions,
  GrpcClientOptions,
  GrpcClientTls,
  GrpcRetry,
  OutgoingCall,
} from "./client/client-config.ts";
export { FailedCall } from "./client/call-sender.ts";
