import { dirname, join } from "node:path";
import { cruise, type ICruiseResult, type IDependency } from "dependency-cruiser";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { type Edge, findCycles } from "./cycles.ts";
import type { KnownImport } from "./known-imports.ts";

/** Result of a check of the structure. */
export interface StructureReport {
  readonly modules: number;
  readonly problems: readonly string[];
}

/**
 * Checks the imports between the files of a workspace: the rules of its `.dependency-cruiser.mjs`, and that neither files nor folders import each
 * other in a cycle, types included. Tests and their fixtures may import any module of their package.
 */
export const checkStructure = async (
  root: string,
  known: readonly KnownImport[],
): Promise<StructureReport> => {
  const options = await extractDepcruiseOptions(join(root, ".dependency-cruiser.mjs"));
  const { output } = await cruise(["packages", "apps", "tests", "bench", "tools"], {
    ...options,
    baseDir: root,
  });
  const { modules, summary } = output as ICruiseResult;
  const isKnown = ({ from, to }: Edge): boolean => known.some((each) => each.from === from && each.to === to);

  const types: Edge[] = [];
  const edges: Edge[] = [];
  for (const { source, dependencies } of modules) {
    if (isTest(source)) continue;
    for (const dependency of dependencies) {
      const edge = { from: source, to: dependency.resolved };
      if (!isSource(dependency.resolved)) continue;
      if (isTypeOnly(dependency)) types.push(edge);
      if (!isTypeOnly(dependency) || !isKnown(edge)) edges.push(edge);
    }
  }
  const broken = summary.violations
    .filter((found) => !(found.dependencyTypes?.includes("type-only") === true && isKnown(found)))
    .map(({ from, to, rule }) => `${rule.name}: ${from} imports ${to}`);
  const unneeded = known
    .filter(({ from, to }) => !types.some((edge) => edge.from === from && edge.to === to))
    .map(
      ({ from, to }) => `known-imports.ts lists a type-only import of ${to} in ${from}, which does not exist`,
    );
  const cycles = new Set([
    ...findCycles(edges, (file) => file).map(asText),
    ...findCycles(edges, folderOf).map(asText),
  ]);
  return { modules: modules.length, problems: [...broken, ...cycles, ...unneeded] };
};

const isSource = (path: string): boolean => path.endsWith(".ts") && !path.includes("node_modules/");
const isTest = (path: string): boolean => /\.test(-\w+)?\.ts$|\/src\/.*testing\//.test(path);
const isTypeOnly = ({ dependencyTypes }: IDependency): boolean => dependencyTypes.includes("type-only");

/** Returns the folder of a file. Files directly in `src` connect the folders below them, so each is a separate node. */
const folderOf = (file: string): string => (/\/src\/[^/]+$/.test(file) ? file : dirname(file));

const asText = (cycle: readonly Edge[]): string =>
  ["import cycle:", ...cycle.map(({ from, to }) => `  ${from} imports ${to}`).toSorted()].join("\n");
