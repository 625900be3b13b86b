import type { MethodDefinition } from "@grpc/proto-loader";
import type { CheckValue } from "./check-scalar.ts";
import { strictReader } from "../schema/strict-reader.ts";
import type { GrpcMethod, MessageCodec } from "../service/grpc-service.ts";

/** Rules of one message, which proto-loader lacks. */
export interface MessageRules {
  /** Checks a message to be sent; proto-loader itself accepts almost any value. */
  readonly check: CheckValue;
  /** Corrects a received message. */
  readonly correct: (message: object) => object;
}

/** Rules of a method's messages. */
export interface MethodRules {
  readonly request: MessageRules;
  readonly response: MessageRules;
}

const noRules: MessageRules = { check: (value) => value, correct: (message) => message };

/** Returns a method loaded by proto-loader. The rules can be omitted for messages that the framework creates. */
export const methodOfLoader = (
  name: string,
  parts: MethodDefinition<object, object>,
  { request, response }: MethodRules = { request: noRules, response: noRules },
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
  { check, correct }: MessageRules,
): MessageCodec => ({
  encode: (value) => serialize(check(value, null, "message") as object),
  decode: (bytes) => correct(deserialize(strictReader(bytes) as unknown as Buffer)), // proto-loader passes it to protobufjs, which accepts a Buffer or a reader
});
