import type { Metadata } from "@grpc/grpc-js";
import type { MetadataFields } from "../call/call-metadata.ts";

/** Copies the metadata of grpc-js to fields: text, or bytes for names that end in `-bin`. */
export const receivedFields = (metadata: Metadata): MetadataFields => {
  const fields: Record<string, readonly (string | Buffer)[]> = Object.create(null) as Record<string, never>;
  for (const name of Object.keys(metadata.getMap())) fields[name] = metadata.get(name);
  return fields;
};
