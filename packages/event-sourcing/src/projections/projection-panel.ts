import { NotFoundError } from "@framework/core";
import type { Panel } from "@framework/core/feature";
import type { Projections } from "./projections.ts";
import type { ProjectionStatus } from "./versions/status.ts";

type ProjectionOperations = Pick<Projections, "status" | "resume" | "cancel" | "rebuild" | "goLive">;

/** Creates the dev page panel of the projections of a store. */
export const projectionPanel = (projections: ProjectionOperations): Panel => ({
  name: "projections",
  title: "Projections",
  async read() {
    const versions = await projections.status();
    return {
      ...(versions.length === 0 && { note: "There are no projections" }),
      columns: [
        "Projection",
        "State",
        "Position",
        "Progress",
        "Seconds left",
        "Lag in seconds",
        "Parked",
        "Errors",
      ],
      rows: versions.map((version) => ({
        id: `${version.name} ${version.version}`,
        cells: [
          `${version.name} version ${version.version}`,
          version.status,
          version.position,
          `${Math.floor(version.progress * 100)} %`,
          version.etaSecs,
          version.lagSecs,
          version.parked,
          version.errors.join("; "),
        ],
        actions: actionsOf(version),
      })),
    };
  },
  actions: [
    {
      name: "resume",
      label: "Resume",
      on: "row",
      async run(row) {
        const resumed = await projections.resume(...versionOf(row));
        if (resumed === 0) throw new NotFoundError("No shard of the projection has stopped");
        return `${resumed} ${resumed === 1 ? "shard runs" : "shards run"} again`;
      },
    },
    {
      name: "cancel",
      label: "Cancel",
      on: "row",
      run: async (row) =>
        requireDone(
          await projections.cancel(...versionOf(row)),
          "The version is cancelled, and its tables are dropped",
        ),
    },
    {
      name: "rebuild",
      label: "Rebuild",
      on: "row",
      run: async (row) =>
        requireDone(
          await projections.rebuild(...versionOf(row)),
          "The version is built again, from the first event",
        ),
    },
    {
      name: "go-live",
      label: "Go live",
      on: "row",
      async run(row) {
        if (!(await projections.goLive(...versionOf(row))))
          throw new NotFoundError("The version has not caught up with the live one yet");
        return "The version is live";
      },
    },
  ],
});

const actionsOf = ({ status, errors }: ProjectionStatus): readonly string[] => [
  ...(errors.length > 0 ? ["resume"] : []),
  ...(status === "building" ? ["cancel", "go-live"] : []),
  ...(status === "cancelled" ? ["rebuild"] : []),
];

const requireDone = (isDone: boolean, message: string): string => {
  if (!isDone) throw new NotFoundError("The state of the projection has changed in the meantime");
  return message;
};

/** Parses name and version from the id of a row. Names have no spaces: see `checkProjection`. */
const versionOf = (row: string | null): [name: string, version: number] => {
  const [name = "", version] = (row ?? "").split(" ");
  return [name, Number(version)];
};
