import { expect, test } from "@jest/globals";
import { snapshotPanels } from "./snapshot-panel.ts";

/** Returns the rows of the panel for a snapshot. */
const rowsOf = async (snapshot: unknown): Promise<readonly (readonly unknown[])[]> => {
  const [panel] = snapshotPanels(() => ({ kettle: snapshot }), new Set());
  return (await panel?.read())?.rows.map(({ cells }) => cells) ?? [];
};

test("dates, big integers, maps and sets of a snapshot are shown with their values", async () => {
  const snapshot = {
    at: new Date(0),
    never: new Date(Number.NaN),
    count: 2n ** 64n,
    byName: new Map<string, unknown>([
      ["a", 1],
      ["password", "hidden"],
    ]),
    names: new Set(["b"]),
  };
  expect(await rowsOf(snapshot)).toEqual([
    ["at", "1970-01-01T00:00:00.000Z"],
    ["never", "an invalid date"],
    ["count", "18446744073709551616"],
    ["byName.a", 1],
    ["byName.password", "…"],
    ["names.0", "b"],
  ]);
});
