import { FrameworkError } from "@framework/core";

/** Maximum number of values that a handler sets. */
const MAX_VALUES = 100;

/** Metadata that a handler sends: header fields before the first message, or trailers after the last. */
export class ReplyMetadata {
  private readonly values: [name: string, value: string | Uint8Array][] = [];

  /** Whether nothing was set. */
  get isEmpty(): boolean {
    return this.values.length === 0;
  }

  /** Replaces the values of a name; bytes for names that end in `-bin`. @throws GRPC_BAD_METADATA */
  set(name: string, value: string | Uint8Array): this {
    const lower = name.toLowerCase();
    for (let at = this.values.length - 1; at >= 0; at--)
      if (this.values[at]?.[0] === lower) this.values.splice(at, 1);
    return this.append(lower, value);
  }

  /** Adds a value. @throws GRPC_BAD_METADATA for a name or value that gRPC does not allow, and for the 101st value */
  append(name: string, value: string | Uint8Array): this {
    const lower = name.toLowerCase();
    const problem = metadataProblem(lower, value);
    if (problem !== null) throw new FrameworkError("GRPC_BAD_METADATA", problem);
    if (this.values.length >= MAX_VALUES)
      throw new FrameworkError("GRPC_BAD_METADATA", `a call sends at most ${MAX_VALUES} values of metadata`);
    this.values.push([lower, value]);
    return this;
  }

  /** Yields names in lower case with their values. */
  [Symbol.iterator](): Iterator<[name: string, value: string | Uint8Array]> {
    return this.values[Symbol.iterator]();
  }
}

/** Returns the mistake in a name and value; `null` for valid ones. */
export const metadataProblem = (name: string, value: string | Uint8Array): string | null => {
  if (!/^[0-9a-z_.-]+$/.test(name) || name.startsWith("grpc-"))
    return `the name of metadata is letters, digits and _ . -, without the prefix grpc-, not ${JSON.stringify(name)}`;
  if (name.endsWith("-bin")) return typeof value === "string" ? `the value of ${name} must be bytes` : null;
  if (typeof value !== "string") return `the value of ${name} must be text; names of bytes end in -bin`;
  return /^[\x20-\x7e]*$/.test(value)
    ? null
    : `the value of ${name} must be printable ASCII; send bytes under ${name}-bin`;
};
