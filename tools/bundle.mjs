// Bundles a package's entries into dist, in the package's folder. The static imports of the first entry become one file: finding a file takes
// longer than reading it, and calls within a file are cheaper than calls between files.
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { rolldown } from "rolldown";

const entries = Object.fromEntries(process.argv.slice(2).map((file) => [basename(file, ".ts"), `./${file}`]));
const [first = ""] = Object.keys(entries);
const output = { dir: "dist", format: "esm", comments: { jsdoc: false } };

const bundle = await rolldown({
  input: entries,
  platform: "node",
  external: (id) => !/^[./]/.test(id),
  logLevel: "warn",
});
const apart = await bundle.generate(output);
const loaded = modulesOf(first);
rmSync("dist/chunks", { recursive: true, force: true }); // their names hold hashes, so old ones would stay
await bundle.write({
  ...output,
  chunkFileNames: "chunks/[name]-[hash].js",
  codeSplitting: { groups: [{ name: "core", test: (id) => loaded.has(id) }] },
});
await bundle.close();

/** The modules of an entry and of all chunks that it imports, in turn. */
function modulesOf(entry) {
  const chunks = new Map(apart.output.map((chunk) => [chunk.fileName, chunk]));
  const names = new Set([`${entry}.js`]);
  for (const name of names) for (const imported of chunks.get(name)?.imports ?? []) names.add(imported);
  return new Set([...names].flatMap((name) => chunks.get(name)?.moduleIds ?? []));
}
