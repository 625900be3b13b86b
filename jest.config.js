import { readFileSync } from "node:fs";
import { bundledPackages, bundlePrograms } from "./tools/bundled-sources/src/index.ts";

const tool = (name) => `${import.meta.dirname}/tools/jest/${name}`;

// Programs that the tests start load the sources from this cache: stripping and compiling them anew takes most of a start.
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/node_modules/.cache/node-compile-cache`;

// Each test file loads its modules anew, and the packages have two thousand: only the tested one is loaded from its sources, the others as a few files.
const tested = JSON.parse(readFileSync("package.json", "utf8"));
const packages = Object.entries(bundledPackages(tested)).map(([name, file]) => [`^${name}$`, file]);
bundlePrograms(); // here, so that no test waits for it

export default {
  cacheDirectory: `${import.meta.dirname}/node_modules/.cache/jest`, // kept when the temporary files of a run are deleted
  id: "framework", // names the folder of stripped sources, which all packages share
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/src/**/*.test.ts"],
  testPathIgnorePatterns: ["\\.int\\.test\\.ts$"],
  testEnvironment: tool("environment.js"),
  testEnvironmentOptions: { customExportConditions: ["@framework/source", "node", "node-addons"] },
  moduleNameMapper: Object.fromEntries(packages),
  transform: { "\\.ts$": tool("strip-types.js") },
  reporters: [
    "default",
    [tool("totals-reporter.js"), {}],
    [tool("leftovers-reporter.js"), {}],
    [tool("temporary-files-reporter.js"), {}],
  ],
  maxWorkers: 1,
  maxConcurrency: 10, // of `test.concurrent`: suites whose tests wait for servers, timers or polls more than they compute
  testTimeout: 120_000, // a busy machine needs a minute to start a process or to meet a condition
};
