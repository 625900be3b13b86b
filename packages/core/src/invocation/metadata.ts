/** Header fields of a request, headers of a message, metadata of a call. Names in any case. */
export interface Metadata {
  /** The value of a field, `null` without one; how repeated fields are joined is up to the protocol. */
  get(name: string): string | null;
  /** Every value of a field as received. */
  getAll(name: string): readonly string[];
}

/** Fields as clients of brokers and calls give them: a name with one value or several. */
export type MetadataInput = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Metadata over a plain object, read at once. Names that differ in case alone are one field; `get` joins repeated values with a comma and a space.
 */
export const toMetadata = (fields: MetadataInput): Metadata => {
  const byName = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const lowerName = name.toLowerCase();
    byName.set(lowerName, (byName.get(lowerName) ?? []).concat(value));
  }
  return {
    get: (name) => byName.get(name.toLowerCase())?.join(", ") ?? null,
    getAll: (name) => byName.get(name.toLowerCase()) ?? [],
  };
};
