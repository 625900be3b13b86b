// node bundle.mjs [FOLDER]: bundles the built service of FOLDER (default: this one), its packages and theirs into a few files. Finding and reading a thousand
// files is half of a start. The bundle needs the same node_modules: modules still find assets, programs and CommonJS packages from where they are installed.
import { isBuiltin } from "node:module";
import { dirname, join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const folder = resolve(process.argv[2] ?? import.meta.dirname);
const output = join(folder, "dist/service");

/** What a module reads of `import.meta`, by the name that holds it in the bundle. */
const places = {
  __moduleUrl: (file) => `new URL(${fromBundle(file)}, __bundleUrl).href`,
  __moduleFile: (file) => `__pathOf(new URL(${fromBundle(file)}, __bundleUrl))`,
  __moduleFolder: (file) => `__pathOf(new URL(${fromBundle(dirname(file))}, __bundleUrl))`,
};
const pathname = (file) => pathToFileURL(file).pathname;
const fromBundle = (file) =>
  JSON.stringify(file.startsWith("\0") ? "" : posix.relative(pathname(output), pathname(file))); // the bundler's own modules are in the bundle
const declarations = (file) =>
  Object.entries(places)
    .map(([name, expression]) => `const ${name} = /* @__PURE__ */ ${expression(file)}; `)
    .join("");

/** Each module that reads `import.meta` declares its own place; the bundler gives the names numbers, and removes what is unused. */
const ownPlace = {
  name: "own-place",
  transform: {
    filter: { code: /\bimport\.meta\./ },
    handler: (code, file) => declarations(file) + code,
  },
};

const bundle = await rolldown({
  input: ["main", "app"].map((name) => join(folder, `dist/${name}.js`)), // the app also by itself: it can be imported without being run
  platform: "node",
  tsconfig: false, // what a deployed one extends is not there
  external: isBuiltin,
  plugins: [ownPlace],
  transform: {
    define: {
      "import.meta.url": "__moduleUrl",
      "import.meta.filename": "__moduleFile",
      "import.meta.dirname": "__moduleFolder",
    },
  },
  logLevel: "warn",
});
await bundle.write({
  dir: output,
  format: "esm",
  cleanDir: true,
  comments: false,
  intro:
    'const __bundleUrl = import.meta.url, __pathOf = process.getBuiltinModule("node:url").fileURLToPath;',
});
await bundle.close();
