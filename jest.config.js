import { bundledCore } from "./tools/bundled-sources/src/index.ts";

const tool = (name) => `${import.meta.dirname}/tools/jest/${name}`;

// Programs that the tests start load the sources from this cache: stripping and compiling them anew takes most of a start.
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/node_modules/.cache/node-compile-cache`;

// Other packages' tests load core as a few files: each test file loads its modules anew, and core has hundreds.
const core = Object.entries(bundledCore()).map(([name, file]) => [`^${name}$`, file]);

export default {
  id: "framework", // names the folder of stripped sources, which all packages share
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/src/**/*.test.ts"],
  testPathIgnorePatterns: ["\\.int\\.test\\.ts$"],
  testEnvironment: tool("environment.js"),
  testEnvironmentOptions: { customExportConditions: ["@framework/source", "node", "node-addons"] },
  moduleNameMapper: Object.fromEntries(core),
  transform: { "\\.ts$": tool("strip-types.js") },
  reporters: ["default", [tool("totals-reporter.js"), {}], [tool("leftovers-reporter.js"), {}]],
  maxWorkers: 1,
  maxConcurrency: 10, // of `test.concurrent`: suites whose tests wait for servers, timers or polls more than they compute
  testTimeout: 120_000, // a busy machine needs a minute to start a process or to meet a condition
};
