import { NotFoundError } from "@framework/core";
import type { Panel } from "@framework/core/feature";
import type { Projections } from "./projections.ts";

/** The projections of a store as a panel of the dev page. */
export const projectionPanel = (projections: Pick<Projections, "status" | "resume">): Panel => ({
  name: "projections",
  title: "Projections",
  async read() {
    const versions = await projections.status();
    return {
      ...(versions.length === 0 && { note: "There are no projections" }),
      columns: ["Projection", "State", "Position", "Progress", "Lag in seconds", "Parked", "Errors"],
      rows: versions.map(({ name, version, status, position, progress, lagSecs, parked, errors }) => ({
        id: `${name} ${version}`,
        cells: [
          `${name} version ${version}`,
          status,
          position,
          `${Math.floor(progress * 100)} %`,
          lagSecs,
          parked,
          errors.join("; "),
        ],
        actions: errors.length > 0 ? ["resume"] : [],
      })),
    };
  },
  actions: [
    {
      name: "resume",
      label: "Resume",
      on: "row",
      async run(row) {
        const name = (row ?? "").slice(0, (row ?? "").lastIndexOf(" "));
        const resumed = await projections.resume(name);
        if (resumed === 0) throw new NotFoundError("No shard of the projection has stopped");
        return `${resumed} ${resumed === 1 ? "shard runs" : "shards run"} again`;
      },
    },
  ],
});
