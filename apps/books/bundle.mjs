// node bundle.mjs [FOLDER]: bundles the built service in FOLDER (default: this one) with all packages, since finding and reading a thousand files takes half of
// the start-up time. The bundle still needs node_modules: modules find assets, programs and CommonJS packages there, by paths relative to the bundle.
import { isBuiltin } from "node:module";
import { dirname, join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { keepImportMeta } from "@framework/bundled-sources/import-meta";

const folder = resolve(process.argv[2] ?? import.meta.dirname);
const output = join(folder, "dist/service");

const pathname = (file) => pathToFileURL(file).pathname;
const urlOf = (file) => {
  const path = file.startsWith("\0") ? "" : posix.relative(pathname(output), pathname(file)); // the bundler's own modules have no file
  return `new URL(${JSON.stringify(path)}, __bundleUrl)`;
};
const pathOf = (file) => `process.getBuiltinModule("node:url").fileURLToPath(${urlOf(file)})`;
const { plugins, define } = keepImportMeta({
  url: (file) => `${urlOf(file)}.href`,
  filename: pathOf,
  dirname: (file) => pathOf(dirname(file)),
});

const bundle = await rolldown({
  input: ["main", "app"].map((name) => join(folder, `dist/${name}.js`)), // also the app, so that it can be imported without running it
  platform: "node",
  tsconfig: false, // the tsconfig.json of a deployed folder extends a file that is not deployed
  external: isBuiltin,
  plugins,
  transform: { define },
  logLevel: "warn",
});
await bundle.write({
  dir: output,
  format: "esm",
  cleanDir: true,
  comments: false,
  intro: "const __bundleUrl = import.meta.url;",
});
await bundle.close();
