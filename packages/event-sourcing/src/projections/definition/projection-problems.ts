import type { Problem } from "@framework/core";
import type { AnyEventType } from "../../events/event-type.ts";
import type { Projection } from "./projection.ts";
import { tableOf } from "./table-of.ts";

/** Returns the configuration errors of a list of projections. */
export const projectionProblems = (
  projections: readonly Projection[],
  events: readonly AnyEventType[],
): readonly Problem[] => [
  ...duplicates(projections),
  ...sharedTables(projections),
  ...tablesNamedLikeVersions(projections),
  ...unknownTypes(projections, events),
];

const duplicates = (projections: readonly Projection[]): Problem[] =>
  projections
    .filter((each, at) => projections.slice(0, at).some((other) => isSame(each, other)))
    .map(({ name, version }) =>
      bad(
        `two projections have the name ${name} and version ${version}; raise the version of one, or rename it`,
      ),
    );

const isSame = (one: Projection, other: Projection): boolean =>
  one.name === other.name && one.version === other.version;

const sharedTables = (projections: readonly Projection[]): Problem[] => {
  const owners = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { name, tables } of projections)
    for (const table of Object.keys(tables)) {
      const owner = owners.get(table) ?? name;
      owners.set(table, owner);
      if (owner !== name)
        problems.push(bad(`the projections ${owner} and ${name} both have a table ${table}; rename one`));
    }
  return problems;
};

/** The SQL view of a table must not have the name of a table of some version, such as `shelf_v1`. */
const tablesNamedLikeVersions = (projections: readonly Projection[]): Problem[] => {
  const views = new Set(projections.flatMap(({ tables }) => Object.keys(tables)));
  return projections.flatMap(({ name, version, tables }) =>
    Object.keys(tables)
      .filter((table) => views.has(tableOf(table, version)))
      .map((table) =>
        bad(
          `the table ${table} of projection ${name} ${version} is named ${tableOf(table, version)} in the database, as another table of a projection; rename one`,
        ),
      ),
  );
};

const unknownTypes = (projections: readonly Projection[], events: readonly AnyEventType[]): Problem[] =>
  projections.flatMap(({ name, types = [] }) => {
    const missing = types.filter((each) => !events.includes(each));
    if (missing.length === 0) return [];
    const names = missing.map(({ type }) => type).join(", ");
    return bad(`projection ${name} has types that are not in the option \`events\`: ${names}`);
  });

const bad = (message: string): Problem => ({
  code: "EVENTS_BAD_PROJECTION",
  message: `EventSourcingConfig: ${message}`,
});
