// node bundler.mjs FOLDER ENTRIES NPM: bundles sources, and prints the list of bundled files. NPM: whether ES modules from npm are "inside" or "outside".
// node bundler.mjs FOLDER ENTRIES inside apart: bundles each entry, of a name with a folder, into that folder, separately; prints the lists of all by name.
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { basename, dirname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { ownPlace } from "./own-place.mjs";

const [folder, entries, npm, apart] = process.argv.slice(2);
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

const isOwn = (file) => isAbsolute(file) && !file.includes("/node_modules/");

const output = {
  format: "esm",
  entryFileNames: "[name].mjs",
  chunkFileNames: "[name]-[hash].mjs",
  comments: false,
};

/** Own modules that each entry imports, also through others, by the entry's name. */
const modules = {};
const imports = {
  name: "imports",
  buildEnd() {
    const imported = new Map();
    const importsOf = (file) => {
      if (!imported.has(file)) {
        const info = this.getModuleInfo(file);
        imported.set(file, info === null ? [] : [...info.importedIds, ...info.dynamicallyImportedIds]);
      }
      return imported.get(file);
    };
    for (const [name, file] of Object.entries(input)) {
      const files = new Set([file]);
      for (const found of files) for (const next of importsOf(found)) if (isOwn(next)) files.add(next);
      modules[name] = files;
    }
  },
};

const bundle = await rolldown({
  input,
  platform: "node",
  plugins: [outside, ...plugins, ...(apart ? [imports] : [])],
  transform: { define },
  resolve: { conditionNames: conditions },
  logLevel: "warn",
  checks: { invalidAnnotation: false }, // where a path is a literal, its annotation is useless
});

if (apart) {
  // The entries share most of their sources: these are read and compiled once, into joint chunks, of which each entry then takes its own.
  const joint = join(folder, "joint");
  await bundle.write({ ...output, dir: joint });
  for (const name of Object.keys(input)) {
    const own = await rolldown({
      input: { [basename(name)]: join(joint, `${name}.mjs`) },
      platform: "node",
      external: (id) => !id.startsWith(".") && !id.startsWith(joint),
      logLevel: "warn",
    });
    await own.write({ ...output, dir: join(folder, dirname(name)) });
    await own.close();
  }
  const all = new Set(Object.values(modules).flatMap((files) => [...files]));
  const others = (await bundle.watchFiles).filter((file) => isOwn(file) && !all.has(file)); // settings of the compiler
  const lists = Object.entries(modules).map(([name, files]) => [name, [...files, ...others]]);
  process.stdout.write(JSON.stringify(Object.fromEntries(lists)));
} else {
  await bundle.write({ ...output, dir: folder });
  process.stdout.write(JSON.stringify((await bundle.watchFiles).filter(isOwn)));
}
await bundle.close();
