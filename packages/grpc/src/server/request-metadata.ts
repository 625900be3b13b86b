import type { MetadataFields } from "../call/call-metadata.ts";
import type { HeaderFields } from "./check-headers.ts";

/** Fields of the gRPC protocol, which are not metadata. */
const protocolFields: ReadonlySet<string> = new Set([
  "accept-encoding",
  "content-type",
  "grpc-accept-encoding",
  "grpc-encoding",
  "grpc-timeout",
  "te",
]);

/** Returns the metadata in the request headers of a call: text, or bytes for names that end in `-bin`. */
export const requestMetadata = (headers: HeaderFields): MetadataFields => {
  const fields: Record<string, readonly (string | Buffer)[]> = Object.create(null) as Record<string, never>;
  for (const [name, value = ""] of Object.entries(headers)) {
    if (name.startsWith(":") || protocolFields.has(name)) continue;
    const values = typeof value === "string" ? [value] : value;
    fields[name] = name.endsWith("-bin") ? values.flatMap(decodeValues) : values;
  }
  return fields;
};

/** Decodes the values of a name that ends in `-bin`, which may be joined by commas. */
const decodeValues = (value: string): readonly Buffer[] =>
  value.split(",").map((part) => Buffer.from(part, "base64"));
