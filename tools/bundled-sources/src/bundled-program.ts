import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledSources } from "./bundled-sources.ts";

/**
 * A program bundled with all workspace sources that it imports, for a test that starts many processes of it: each takes a third of the processor time.
 * The first call takes half a second, unless `bundlePrograms` has made the bundle.
 *
 * `import.meta.url` and its like keep the values of the sources. Not for a program whose own modules are the subject.
 *
 * @throws when a source cannot be bundled; the message has the bundler's output
 */
export const bundledProgram = (program: string | URL, cache?: string): string => {
  const file = typeof program === "string" ? program : fileURLToPath(program);
  const name = basename(file, ".ts");
  return join(bundledSources({ [name]: file }, cache === undefined ? {} : { cache }), `${name}.mjs`);
};
