/** A YAML mapping. */
export type YamlRecord = Readonly<Record<string, unknown>>;

/** Returns the mapping at a path, or an empty one. */
export const recordAt = (value: unknown, ...path: readonly string[]): YamlRecord => {
  const found = path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
  return isRecord(found) ? found : {};
};

/** Returns the mappings of a list; other items are skipped. */
export const recordsIn = (value: unknown): readonly YamlRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Returns a number, else the fallback. */
export const numberOr = (value: unknown, fallback: number): number =>
  typeof value === "number" ? value : fallback;

/** Whether a value is a mapping. */
export const isRecord = (value: unknown): value is YamlRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
