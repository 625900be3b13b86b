import { FrameworkError } from "@framework/core";
import { hasOneValue, metadataBytes, metadataProblem } from "../metadata/metadata-rules.ts";

/** Maximum number of values that a handler sets. */
const MAX_VALUES = 100;
/** Maximum bytes of these values, as HTTP/2 counts them: many clients reject more. */
const MAX_BYTES = 8192;

/** Metadata that a handler sends: header fields before the first message, or trailers after the last. */
export class ReplyMetadata {
  private values: [name: string, value: string | Uint8Array][] = [];

  /** Whether nothing was set. */
  get isEmpty(): boolean {
    return this.values.length === 0;
  }

  /** Sets the only value of a name; bytes for names that end in `-bin`. @throws GRPC_BAD_METADATA; the current values are then kept */
  set(name: string, value: string | Uint8Array): this {
    const lower = name.toLowerCase();
    const present = this.values;
    this.values = present.filter(([other]) => other !== lower);
    try {
      return this.append(lower, value);
    } catch (error) {
      this.values = present;
      throw error;
    }
  }

  /** Bytes of the values, as HTTP/2 counts them. */
  get byteLength(): number {
    return this.values.reduce((sum, [name, value]) => sum + metadataBytes(name, value), 0);
  }

  /**
   * Adds a value.
   *
   * @throws GRPC_BAD_METADATA for a name or value that gRPC or HTTP/2 does not allow, a second value of a name that allows one, more than 100 values, or more
   * than 8 KiB in total
   */
  append(name: string, value: string | Uint8Array): this {
    const lower = name.toLowerCase();
    const problem = metadataProblem(lower, value);
    if (problem !== null) throw new FrameworkError("GRPC_BAD_METADATA", problem);
    if (hasOneValue(lower) && this.values.some(([present]) => present === lower))
      throw new FrameworkError("GRPC_BAD_METADATA", `${lower} allows only one value; replace it with set()`);
    if (this.values.length >= MAX_VALUES)
      throw new FrameworkError("GRPC_BAD_METADATA", `a call sends at most ${MAX_VALUES} values of metadata`);
    if (this.byteLength + metadataBytes(lower, value) > MAX_BYTES)
      throw new FrameworkError("GRPC_BAD_METADATA", `a call sends at most ${MAX_BYTES} bytes of metadata`);
    this.values.push([lower, value]);
    return this;
  }

  /** Yields names in lower case with their values. */
  [Symbol.iterator](): Iterator<[name: string, value: string | Uint8Array]> {
    return this.values[Symbol.iterator]();
  }
}
