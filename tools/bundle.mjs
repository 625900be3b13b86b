// node bundle.mjs [FILE ...]: bundles the entry points of the package in the working directory, and the given files, into dist. The static imports of the first entry
// point become one file: finding a file takes longer than reading it, and calls within a file are cheaper than calls between files.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const entryPoints = Object.values(manifest.exports).map((conditions) => conditions["@framework/source"]);
const entries = Object.fromEntries(
  [...entryPoints, ...process.argv.slice(2)].map((file) => [nameOf(file), file]),
);
const [first = ""] = Object.keys(entries);
const output = { dir: "dist", format: "esm", comments: { jsdoc: false } };

const bundle = await rolldown({
  input: entries,
  platform: "node",
  external: (id) => !/^[./]/.test(id),
  logLevel: "warn",
});
const separate = await bundle.generate(output);
const loaded = modulesOf(first);
const { output: files } = await bundle.generate({
  ...output,
  chunkFileNames: "chunks/[name]-[hash].js", // one folder below dist, like modules that find files by relative paths
  codeSplitting: { groups: [{ name: basename(manifest.name), test: (id) => loaded.has(id) }] },
});
for (const { fileName, code } of files) replace(join(output.dir, fileName), code);
const kept = new Set(files.map(({ fileName }) => basename(fileName)));
if (existsSync("dist/chunks"))
  for (const name of readdirSync("dist/chunks")) if (!kept.has(name)) rmSync(join("dist/chunks", name)); // file names contain hashes, so old files would remain
await bundle.close();

/** Returns the name of an entry: `command/main` for `./src/command/main.ts`. */
function nameOf(file) {
  return file.replace(/^(?:\.\/)?src\//, "").replace(/\.ts$/, "");
}

/** Replaces a file atomically, because other processes may import it at the same time. */
function replace(path, code) {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && readFileSync(path, "utf8") === code) return;
  const next = `${path}.${process.pid}`;
  writeFileSync(next, code);
  renameSync(next, path);
}

/** Returns the modules of an entry and of all chunks that it imports, directly or indirectly. */
function modulesOf(entry) {
  const chunks = new Map(separate.output.map((chunk) => [chunk.fileName, chunk]));
  const names = new Set([`${entry}.js`]);
  for (const name of names) for (const imported of chunks.get(name)?.imports ?? []) names.add(imported);
  return new Set([...names].flatMap((name) => chunks.get(name)?.moduleIds ?? []));
}
