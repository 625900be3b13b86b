import type { Metadata } from "@framework/core";

/** Metadata that a client sent. Names are case-insensitive. */
export interface CallMetadata extends Metadata {
  /** Returns every value of a name that ends in `-bin`. */
  getBinary(name: string): readonly Uint8Array[];
  /** Size as HTTP/2 counts it: names, values and 32 bytes each (RFC 9113 6.5.2). */
  readonly byteLength: number;
}

/** Values by their names in lower case: text, or bytes for names that end in `-bin`. */
export type MetadataFields = Readonly<Record<string, readonly (string | Uint8Array)[]>>;

/** Wraps received fields, which have no prototype. They are read when first used: most calls use none. */
export const callMetadata = (read: () => MetadataFields): CallMetadata => {
  let known: MetadataFields | undefined;
  const all = (name: string): readonly (string | Uint8Array)[] => {
    const fields = (known ??= read());
    const lower = name.toLowerCase();
    return Object.hasOwn(fields, lower) ? (fields[lower] ?? []) : [];
  };
  const texts = (name: string): readonly string[] => all(name).map(toText);
  return {
    get: (name) => {
      const values = texts(name);
      return values.length === 0 ? null : values.join(", ");
    },
    getAll: texts,
    getBinary: (name) => all(name).filter((value) => typeof value !== "string"),
    get byteLength() {
      return metadataBytes((known ??= read()));
    },
  };
};

/** Bytes as header fields carry them: Base64. */
const toText = (value: string | Uint8Array): string =>
  typeof value === "string" ? value : Buffer.from(value).toString("base64");

const metadataBytes = (fields: MetadataFields): number => {
  let bytes = 0;
  for (const [name, values] of Object.entries(fields))
    for (const value of values) bytes += name.length + value.length + 32;
  return bytes;
};
