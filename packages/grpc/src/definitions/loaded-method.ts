import type { MethodDefinition } from "@grpc/proto-loader";
import type { CheckValue } from "./check-scalar.ts";
import { strictReader } from "../schema/strict-reader.ts";
import type { GrpcMethod, MessageCodec } from "../service/grpc-service.ts";

/** Checks of a method's messages; proto-loader itself accepts almost any value. */
export interface MethodChecks {
  readonly request: CheckValue;
  readonly response: CheckValue;
}

const unchecked: CheckValue = (value) => value;

/** Returns a method loaded by proto-loader. The checks can be omitted for messages that the framework creates. */
export const methodOfLoader = (
  name: string,
  parts: MethodDefinition<object, object>,
  { request, response }: MethodChecks = { request: unchecked, response: unchecked },
): GrpcMethod => ({
  name,
  requestStream: parts.requestStream,
  responseStream: parts.responseStream,
  request: codecOf(parts.requestSerialize, parts.requestDeserialize, request),
  response: codecOf(parts.responseSerialize, parts.responseDeserialize, response),
});

const codecOf = (
  serialize: (value: object) => Buffer,
  deserialize: (bytes: Buffer) => object,
  check: CheckValue,
): MessageCodec => ({
  encode: (value) => serialize(check(value, null, "message") as object),
  decode: (bytes) => deserialize(strictReader(bytes) as unknown as Buffer), // proto-loader passes it to protobufjs, which accepts a Buffer or a reader
});
