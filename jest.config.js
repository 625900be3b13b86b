import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { bundledPackages, bundlePrograms } from "./tools/bundled-sources/src/index.ts";

const tool = (name) => `${import.meta.dirname}/tools/jest/${name}`;

// The tests, and the programs that they start, load the sources from this cache: stripping and compiling them again would take most of the start time.
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/node_modules/.cache/node-compile-cache`;
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// The packages have two thousand modules. Only the package under test is loaded from its sources; its dependencies are loaded from a few bundled files.
const tested = JSON.parse(readFileSync("package.json", "utf8"));
const packages = Object.entries(bundledPackages(tested)).map(([name, file]) => [`^${name}$`, file]);
bundlePrograms(); // done here, so that no test waits for it

export default {
  cacheDirectory: `${import.meta.dirname}/node_modules/.cache/jest`, // kept when the temporary files of a run are deleted
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/src/**/*.test.ts"],
  testPathIgnorePatterns: ["\\.int\\.test\\.ts$"],
  testEnvironment: tool("environment.js"),
  runtime: tool("runtime.js"),
  injectGlobals: false,
  moduleNameMapper: Object.fromEntries(packages),
  transform: {},
  reporters: [
    "default",
    [tool("totals-reporter.js"), {}],
    [tool("leftovers-reporter.js"), {}],
    [tool("temporary-files-reporter.js"), {}],
  ],
  maxWorkers: 1,
  maxConcurrency: 10, // limit of `test.concurrent`, for suites whose tests mostly wait for servers, timers or polls
  testTimeout: 120_000, // a busy machine needs a minute to start a process or to meet a condition
};
