// node bundler.mjs FOLDER ENTRIES NPM: bundles sources, and prints the list of bundled files. NPM tells whether ES modules from npm are "inside" or "outside".
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { ownPlace } from "./own-place.mjs";

const [folder, entries, npm] = process.argv.slice(2);
const input = JSON.parse(entries);

const isFromNpm = (file) => file?.includes("/node_modules/");

const isModule = (file) => {
  if (!file.endsWith(".js")) return file.endsWith(".mjs");
  return JSON.parse(readFileSync(findPackageJSON(pathToFileURL(file)), "utf8")).type === "module";
};

/**
 * Of npm's packages, CommonJS stays outside, each file by its path: the bundle is far from the package that depends on it. ES modules are bundled: loading the
 * hundreds of files of graphql, zod and OpenTelemetry takes a third of a start.
 *
 * Where the rest stays outside too, undici does not: no test hands its objects to a package, and its hundred files are loaded by each test file with a socket.
 */
const staysOutside = (file) =>
  npm === "outside" ? !file.includes("/node_modules/undici/") : !isModule(file);

const outside = {
  name: "outside",
  async resolveId(name, importer) {
    if (importer === undefined || name.startsWith("node:")) return null;
    if (name.startsWith(".") && !isFromNpm(importer)) return null;
    const found = await this.resolve(name, importer, { skipSelf: true });
    return isFromNpm(found?.id) && staysOutside(found.id) ? { id: found.id, external: "absolute" } : null;
  },
};

/** A module finds files beside its source, not beside the bundle. */
const { plugins, define } = ownPlace({
  url: (file) => JSON.stringify(pathToFileURL(file).href),
  filename: (file) => JSON.stringify(file),
  dirname: (file) => JSON.stringify(dirname(file)),
});

/** Those of the loader of tests: outside, a package must be the very files that the importing tests find. */
const conditions = ["@framework/source", "node", "module-sync", "import", "default"];

const bundle = await rolldown({
  input,
  platform: "node",
  plugins: [outside, ...plugins],
  transform: { define },
  resolve: { conditionNames: conditions },
  logLevel: "warn",
});
await bundle.write({
  dir: folder,
  format: "esm",
  entryFileNames: "[name].mjs",
  chunkFileNames: "[name]-[hash].mjs",
  comments: false,
});
process.stdout.write(
  JSON.stringify((await bundle.watchFiles).filter((file) => !file.includes("/node_modules/"))),
);
await bundle.close();
