import { isSecretName, type Panel, type PanelCell, type PanelContent } from "@framework/core/feature";

const MAX_VALUES = 100;
const MAX_DEPTH = 3;

/** Returns a panel with names and values for each snapshot without a panel of that name. */
export const snapshotPanels = (
  read: () => Readonly<Record<string, unknown>>,
  namesWithPanel: ReadonlySet<string>,
): readonly Panel[] => {
  const snapshots = read();
  return Object.keys(snapshots)
    .filter((name) => !namesWithPanel.has(name))
    .map((name) => ({
      name,
      title: `Values of ${wordsOf(name)}`,
      scope: "worker",
      read: () => contentOf(snapshots[name]),
    }));
};

/** `rateLimit` becomes `rate limit`. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("-", " ")
    .toLowerCase();

const contentOf = (value: unknown): PanelContent =>
  Array.isArray(value) && value.every(isRecord) ? recordsOf(value) : namesOf(value);

/** Shows a list of records: one row per record, with the columns of the first record. */
const recordsOf = (records: readonly Readonly<Record<string, unknown>>[]): PanelContent => {
  const columns = Object.keys(records[0] ?? {});
  return {
    columns,
    rows: records.map((record, at) => ({
      id: String(at),
      cells: columns.map((name) => valuesOf(record[name], name, MAX_DEPTH)[0]?.[1] ?? null),
    })),
  };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const namesOf = (value: unknown): PanelContent => ({
  columns: ["Name", "Value"],
  rows: valuesOf(value, "", 0)
    .slice(0, MAX_VALUES)
    .map(([name, cell]) => ({ id: name, cells: [name, cell] })),
});

const valuesOf = (given: unknown, name: string, depth: number): readonly (readonly [string, PanelCell])[] => {
  if (isSecretName(name.slice(name.lastIndexOf(".") + 1))) return [[name, "…"]];
  const value = plainOf(given);
  if (value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "string")
    return [[name, value]];
  if (typeof value !== "object" || depth >= MAX_DEPTH)
    return value === undefined ? [] : [[name, `a ${typeof value}`]];
  return Object.entries(value).flatMap(([key, inner]) =>
    valuesOf(inner, name === "" ? key : `${name}.${key}`, depth + 1),
  );
};

/** Returns a value without enumerable properties, such as a date or a map, as a value that can be shown. */
const plainOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : value.toISOString();
  if (value instanceof Map) return Object.fromEntries(value) as unknown;
  return value instanceof Set ? [...value] : value;
};
