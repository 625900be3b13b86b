import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledSources } from "./bundled-sources.ts";

/**
 * Bundles a program with all workspace sources that it imports, for a test that starts many processes of it: each process takes a third of the processor time.
 * The first call takes half a second, unless `bundlePrograms` has created the bundle.
 *
 * `import.meta.url`, `filename` and `dirname` keep the values of the sources. Not for tests of module loading itself.
 *
 * @throws when a source cannot be bundled; the message has the bundler's output
 */
export const bundledProgram = (program: string | URL, cache?: string): string => {
  const file = typeof program === "string" ? program : fileURLToPath(program);
  const name = basename(file, ".ts");
  return join(bundledSources({ [name]: file }, cache === undefined ? {} : { cache }), `${name}.mjs`);
};
