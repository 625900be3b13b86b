import { dirname, join } from "node:path";
import { bundledSources } from "./bundled-sources.ts";

const core = join(dirname(import.meta.dirname), "../../packages/core/src");

/**
 * The doors of core as paths of bundled files, by their names: `@framework/core`, `@framework/core/feature` and so on.
 *
 * The files share their modules, so that a class is the same through each door.
 */
export const bundledCore = (): Readonly<Record<string, string>> => {
  const names = ["index", "feature", "http", "testing"];
  const folder = bundledSources(Object.fromEntries(names.map((name) => [name, join(core, `${name}.ts`)])));
  return Object.fromEntries(
    names.map((name) => [
      name === "index" ? "@framework/core" : `@framework/core/${name}`,
      join(folder, `${name}.mjs`),
    ]),
  );
};
