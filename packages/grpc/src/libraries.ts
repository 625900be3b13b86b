import { createRequire } from "node:module";

type GrpcJs = typeof import("@grpc/grpc-js");
type ProtoLoader = typeof import("@grpc/proto-loader");
type Protobufjs = typeof import("protobufjs");

const require = createRequire(import.meta.url);
let client: GrpcJs | undefined;
let loader: ProtoLoader | undefined;
let messages: Protobufjs | undefined;

// The libraries have about a hundred files; apps that do not use gRPC never load them.

/** Loads grpc-js on first use. */
export const grpcJs = (): GrpcJs => (client ??= require("@grpc/grpc-js") as GrpcJs);

/** Loads proto-loader on first use. */
export const protoLoader = (): ProtoLoader => (loader ??= require("@grpc/proto-loader") as ProtoLoader);

/** Loads protobufjs on first use. */
export const protobufjs = (): Protobufjs => (messages ??= require("protobufjs") as Protobufjs);
