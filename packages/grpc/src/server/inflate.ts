import { GrpcError } from "../status/grpc-error.ts";

/** Supported compression encodings; others are UNIMPLEMENTED. */
type Encoding = "gzip" | "deflate";

const isEncoding = (encoding: string): encoding is Encoding => encoding === "gzip" || encoding === "deflate";

/** Inflates a message, or returns the error that refuses the call. @param encoding `grpc-encoding` of the call */
export const inflateMessage = async (
  bytes: Buffer,
  encoding: string,
  maxBytes: number,
): Promise<Buffer | GrpcError> => {
  if (encoding === "identity")
    return new GrpcError("INTERNAL", "The message is compressed without a grpc-encoding");
  if (!isEncoding(encoding))
    return new GrpcError(
      "UNIMPLEMENTED",
      `Received message compressed with unsupported encoding "${encoding}"`,
    );
  const { gunzip, inflate } = process.getBuiltinModule("node:zlib"); // loaded only for compressed messages
  const { promise, resolve } = Promise.withResolvers<Buffer | GrpcError>();
  const read = encoding === "gzip" ? gunzip : inflate;
  read(bytes, { maxOutputLength: maxBytes }, (error, message) => {
    if (error === null) resolve(message);
    else if ((error as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      resolve(
        new GrpcError(
          "RESOURCE_EXHAUSTED",
          `Received message that decompresses to a size larger than ${maxBytes}`,
        ),
      );
    else resolve(new GrpcError("INTERNAL", "Failed to decompress message", { cause: error }));
  });
  return promise;
};
