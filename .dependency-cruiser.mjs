// Import rules, checked by `pnpm structure`, which also finds import cycles of files and of folders.
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Layers of core, lowest first: a folder imports its own layer and lower ones. */
export const layers = [
  ["http"],
  ["errors", "runtime", "middleware", "invocation", "config", "log", "contract"],
  ["exchange"],
  ["body", "request", "response", "lifecycle", "shared-state", "insight"],
  ["dependencies", "guards", "validation", "routing", "routes", "feature"],
  ["pipeline"],
  ["kernel"],
];
/**
 * Folders outside the layers, with the index of the highest layer that each may import. No layer imports them; `run` may import `transport`; `app.ts`
 * imports both.
 */
const outsideLayers = { transport: 3, run: 3 };

const core = "packages/core/src";
const placed = [...layers.flat(), ...Object.keys(outsideLayers)];
const unplaced = readdirSync(join(import.meta.dirname, core), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !placed.includes(entry.name))
  .map(({ name }) => name);
if (unplaced.length > 0) throw new Error(`${core} has folders without a layer: ${unplaced.join(", ")}`);

const inCore = (names) => `^${core}/(${names.join("|")})/`;
/** The top of core, which no layer imports: `App` and `Blueprint`. */
const topFiles = `^${core}/(app|blueprint)[.]ts$`;
const outsidePaths = inCore(Object.keys(outsideLayers));
const tests = ["[.]test[.]ts$", "[.]test-[a-z]+[.]ts$", "/src/.*testing/"];

const layerRules = layers.map((names, level) => ({
  name: `core-layer-${names[0]}`,
  comment: "A layer of core imports no higher one.",
  severity: "error",
  from: { path: inCore(names), pathNot: tests },
  to: {
    path: [inCore(layers.slice(level + 1).flat()), outsidePaths, topFiles],
  },
}));

const outsideRules = Object.entries(outsideLayers).map(([name, level]) => ({
  name: `core-${name}`,
  comment: `${name} is outside the layers of core: it imports only those up to ${layers[level].join(", ")}.`,
  severity: "error",
  from: { path: inCore([name]), pathNot: tests },
  to: {
    path: [
      inCore(layers.slice(level + 1).flat()),
      topFiles,
      ...(name === "transport" ? [inCore(["run"])] : []),
    ],
  },
}));

/** Patterns of the source files of all entry points: the `exports` of packages, test suites and tools. */
const entryPoints = globSync("{packages,tests,tools}/*/package.json", { cwd: import.meta.dirname }).flatMap(
  (path) => {
    const { exports = {} } = JSON.parse(readFileSync(join(import.meta.dirname, path), "utf8"));
    const sources = Object.values(exports).map((entry) => entry["@framework/source"]);
    return sources.map((source) => `^${join(path, "..", source).replaceAll(".", "[.]")}$`);
  },
);

export default {
  forbidden: [
    ...layerRules,
    ...outsideRules,
    {
      name: "core-imports-no-package",
      comment: "Core imports no package; its declaration files may reference `@types/node`.",
      severity: "error",
      from: { path: `^${core}/`, pathNot: tests },
      to: {
        path: "^(packages|apps|tests|bench|tools)/|node_modules/",
        pathNot: [`^${core}/`, "/@types/node/index.d.ts$"],
      },
    },
    {
      name: "entry-points",
      comment: "Import a package only through its entry points (`exports`).",
      severity: "error",
      from: { path: "^(packages|apps|tests)/([^/]+)/" },
      to: { path: "^(packages|apps|tests|tools)/", pathNot: ["^$1/$2/", ...entryPoints] },
    },
    {
      name: "packages-import-no-app",
      comment: "A package must not import apps, tests, bench, tools or the conformance suite.",
      severity: "error",
      from: { path: "^packages/", pathNot: [...tests, "^packages/conformance/"] },
      to: { path: "^(apps|tests|bench|tools|packages/conformance)/" },
    },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    skipAnalysisNotInRules: true, // no rule is about cycles: `tools/src/structure` finds cycles of files and folders
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/dist/|^tools/new-package/template/" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@framework/source", "import", "node"],
    },
  },
};
