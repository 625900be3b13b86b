import { expect, test } from "@jest/globals";
import type { Projections } from "./projections.ts";
import { projectionPanel } from "./projection-panel.ts";

const status = {
  name: "shelf",
  version: 2,
  status: "live",
  position: "7",
  progress: 0.5,
  etaSecs: null,
  lagSecs: 3,
  parked: 1,
  errors: ["the table is gone"],
} as const;

const panelOf = (resumed: number) => {
  const asked: string[] = [];
  const projections: Pick<Projections, "status" | "resume"> = {
    status: async () => [status, { ...status, version: 3, status: "building", errors: [] }],
    resume: async (name) => {
      asked.push(name);
      return resumed;
    },
  };
  return { asked, panel: projectionPanel(projections) };
};

test("the panel shows each version, and makes stopped ones run again", async () => {
  const { asked, panel } = panelOf(1);
  expect((await panel.read()).rows).toEqual([
    {
      id: "shelf 2",
      cells: ["shelf version 2", "live", "7", "50 %", 3, 1, "the table is gone"],
      actions: ["resume"],
    },
    { id: "shelf 3", cells: ["shelf version 3", "building", "7", "50 %", 3, 1, ""], actions: [] },
  ]);
  expect(await panel.actions?.[0]?.run("shelf 2", {})).toBe("1 shard runs again");
  expect(asked).toEqual(["shelf"]);
  await expect(panelOf(0).panel.actions?.[0]?.run("shelf 2", {})).rejects.toThrow("No shard");
});
