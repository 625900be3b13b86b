import type { MethodDefinition } from "@grpc/proto-loader";
import type { GrpcMethod, MessageCodec } from "../service/grpc-service.ts";

/** Returns a method that proto-loader read. */
export const methodOfLoader = (name: string, parts: MethodDefinition<object, object>): GrpcMethod => ({
  name,
  requestStream: parts.requestStream,
  responseStream: parts.responseStream,
  request: codecOf(parts.requestSerialize, parts.requestDeserialize),
  response: codecOf(parts.responseSerialize, parts.responseDeserialize),
});

const codecOf = (
  serialize: (value: object) => Buffer,
  deserialize: (bytes: Buffer) => object,
): MessageCodec => ({
  encode: (value) => serialize(value as object), // the loader refuses other values
  decode: (bytes) => deserialize(Buffer.isBuffer(bytes) ? bytes : asBuffer(bytes)),
});

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
