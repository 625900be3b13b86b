/** Header fields of a request, headers of a message, metadata of a call. Names are case-insensitive. */
export interface Metadata {
  /** Returns the value of a field, `null` when absent; the protocol determines how repeated fields are joined. */
  get(name: string): string | null;
  /** Returns every value of a field as received. */
  getAll(name: string): readonly string[];
}

/** Headers of a message or metadata of a call: one or more values per name. */
export type MetadataInput = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Copies a plain object to metadata. Names that differ only in case are one field; `get` joins repeated values with a comma and a space.
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
