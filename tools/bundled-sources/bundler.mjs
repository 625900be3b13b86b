// node bundler.mjs FOLDER ENTRIES: bundles sources, and prints the list of bundled files.
import { pathToFileURL } from "node:url";
import { dirname } from "node:path";
import { rolldown } from "rolldown";

const [folder, entries] = process.argv.slice(2);
const input = JSON.parse(entries);

/** Packages from npm stay outside, each by its path: the bundle is far from the package that depends on it. */
const outside = {
  name: "outside",
  async resolveId(name, importer) {
    if (importer === undefined || /^(?:[./]|node:)/.test(name)) return null;
    const found = await this.resolve(name, importer, { skipSelf: true });
    return found?.id.includes("/node_modules/") ? { id: found.id, external: "absolute" } : null;
  },
};

/** A module finds files beside its source, not beside the bundle. */
const ownPlace = {
  name: "own-place",
  transform: {
    filter: { code: /\bimport\.meta\./ },
    handler: (code, id) =>
      code
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
        .replaceAll("import.meta.filename", JSON.stringify(id))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(id))),
  },
};

const bundle = await rolldown({
  input,
  platform: "node",
  plugins: [outside, ownPlace],
  resolve: { conditionNames: ["@framework/source", "node", "import", "default"] },
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
