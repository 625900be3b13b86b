import type { Metadata } from "@framework/core";
import { metadataBytes } from "../metadata/metadata-rules.ts";

/** Metadata that a client sent. Names are case-insensitive. */
export interface CallMetadata extends Metadata {
  /** Returns every value of a name that ends in `-bin`. */
  getBinary(name: string): readonly Uint8Array[];
  /** Bytes of names and values plus 32 for each value (RFC 9113 6.5.2); values of `-bin` names count as Base64. */
  readonly byteLength: number;
}

/** Values by lower-case name: text, or bytes for names that end in `-bin`. Without a prototype. */
export type MetadataFields = Readonly<Record<string, readonly (string | Uint8Array)[]>>;

/** Source of the metadata of a call. */
export interface MetadataSource {
  /** Returns the received fields. */
  fields(): MetadataFields;
}

/** Received metadata, parsed on first use, because most handlers read none. */
export class ReceivedMetadata implements CallMetadata {
  private readonly source: MetadataSource;
  private parsed: MetadataFields | undefined;

  constructor(source: MetadataSource) {
    this.source = source;
  }

  get(name: string): string | null {
    const values = this.getAll(name);
    return values.length === 0 ? null : values.join(", ");
  }

  getAll(name: string): readonly string[] {
    return this.values(name).map(toText);
  }

  getBinary(name: string): readonly Uint8Array[] {
    return this.values(name).filter((value) => typeof value !== "string");
  }

  get byteLength(): number {
    let bytes = 0;
    for (const [name, values] of Object.entries(this.all()))
      for (const value of values) bytes += metadataBytes(name, value);
    return bytes;
  }

  private all(): MetadataFields {
    return (this.parsed ??= this.source.fields());
  }

  private values(name: string): readonly (string | Uint8Array)[] {
    const fields = this.all();
    const lower = name.toLowerCase();
    return Object.hasOwn(fields, lower) ? (fields[lower] ?? []) : [];
  }
}

/** Returns text unchanged, and bytes as Base64, as header fields carry them. */
const toText = (value: string | Uint8Array): string =>
  typeof value === "string" ? value : Buffer.from(value).toString("base64");
