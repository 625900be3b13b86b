// node bundler.mjs FOLDER ENTRIES NPM: bundles sources, and prints the list of bundled files. NPM: "inside" bundles ES modules from npm, "outside" does not.
// node bundler.mjs FOLDER ENTRIES inside separate: bundles each entry separately, into the folder that its name begins with; prints the lists of bundled files by entry.
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { basename, dirname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { keepImportMeta } from "./import-meta.mjs";

const [folder, entries, npm, separate] = process.argv.slice(2);
const input = JSON.parse(entries);

const isFromNpm = (file) => file?.includes("/node_modules/");

const isModule = (file) => {
  if (!file.endsWith(".js")) return file.endsWith(".mjs");
  return JSON.parse(readFileSync(findPackageJSON(pathToFileURL(file)), "utf8")).type === "module";
};

/**
 * CommonJS from npm is never bundled, but imported by path, because it is not resolvable from the folder of the bundle. ES modules are bundled: loading the
 * hundreds of files of graphql, zod and OpenTelemetry takes a third of a start.
 *
 * With "outside", only undici is bundled: no test passes undici's objects to a package, and each test file with a socket would load undici's hundred files.
 */
const isExternal = (file) => (npm === "outside" ? !file.includes("/node_modules/undici/") : !isModule(file));

const outside = {
  name: "outside",
  async resolveId(name, importer) {
    if (importer === undefined || name.startsWith("node:")) return null;
    if (name.startsWith(".") && !isFromNpm(importer)) return null;
    const found = await this.resolve(name, importer, { skipSelf: true });
    return isFromNpm(found?.id) && isExternal(found.id) ? { id: found.id, external: "absolute" } : null;
  },
};

/** Keeps `import.meta` of the sources, so a module finds files next to its source. */
const { plugins, define } = keepImportMeta({
  url: (file) => JSON.stringify(pathToFileURL(file).href),
  filename: (file) => JSON.stringify(file),
  dirname: (file) => JSON.stringify(dirname(file)),
});

/** Export conditions of the test loader: an external package must resolve to the same files as in the importing tests. */
const conditions = ["@framework/source", "node", "module-sync", "import", "default"];

const isOwn = (file) => isAbsolute(file) && !file.includes("/node_modules/");

const output = {
  format: "esm",
  entryFileNames: "[name].mjs",
  chunkFileNames: "[name]-[hash].mjs",
  comments: false,
};

/** Modules of the workspace that each entry imports, directly or indirectly, by the name of the entry. */
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
  plugins: [outside, ...plugins, ...(separate ? [imports] : [])],
  transform: { define },
  resolve: { conditionNames: conditions },
  logLevel: "warn",
  checks: { invalidAnnotation: false }, // no warnings about `#__PURE__` before literals, where it has no effect
});

if (separate) {
  // The entries share most of their sources, which are read and compiled once into common chunks; then each entry is bundled from its chunks.
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
  const others = (await bundle.watchFiles).filter((file) => isOwn(file) && !all.has(file)); // tsconfig.json and the like
  const lists = Object.entries(modules).map(([name, files]) => [name, [...files, ...others]]);
  process.stdout.write(JSON.stringify(Object.fromEntries(lists)));
} else {
  await bundle.write({ ...output, dir: folder });
  process.stdout.write(JSON.stringify((await bundle.watchFiles).filter(isOwn)));
}
await bundle.close();
