import type { MetadataFields } from "../call/call-metadata.ts";
import type { HeadFields } from "./check-head.ts";

/** Fields of the protocol, which are not metadata. */
const ownFields: ReadonlySet<string> = new Set([
  "accept-encoding",
  "content-type",
  "grpc-accept-encoding",
  "grpc-encoding",
  "grpc-timeout",
  "te",
]);

/** Returns the metadata in the head of a call: text, or bytes for names that end in `-bin`. */
export const headMetadata = (head: HeadFields): MetadataFields => {
  const fields: Record<string, readonly (string | Buffer)[]> = Object.create(null) as Record<string, never>;
  for (const [name, value = ""] of Object.entries(head)) {
    if (name.startsWith(":") || ownFields.has(name)) continue;
    const values = typeof value === "string" ? [value] : value;
    fields[name] = name.endsWith("-bin") ? values.flatMap(decoded) : values;
  }
  return fields;
};

/** Values of one name may be joined by commas. */
const decoded = (value: string): readonly Buffer[] =>
  value.split(",").map((part) => Buffer.from(part, "base64"));
