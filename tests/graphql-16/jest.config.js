import { createRequire } from "node:module";
import base from "../../jest.config.js";

const { resolve } = createRequire(import.meta.url);

// Loads the package from source, because its bundle imports the release of `graphql` that it depends on.
const { "^@framework/graphql$": _bundled, ...packages } = base.moduleNameMapper;

/** Runs the suites of the package with release 16 of `graphql`, also for graphql-ws and graphql-http. */
export default {
  ...base,
  rootDir: import.meta.dirname,
  roots: ["<rootDir>/src", "<rootDir>/../../packages/graphql/src"],
  testMatch: ["**/*.test.ts"],
  // Excludes suites that start processes, which would load graphql 17; suites that execute no operation or test bytes on sockets; and suites for incremental delivery and for lists returned as async iterables, which graphql 16 lacks.
  testPathIgnorePatterns: [
    ...base.testPathIgnorePatterns,
    "/(?:workers|readme|page|graphql-config|in-parts|async-iterables|refusals|socket-limits|client-command)\\.test\\.ts$",
  ],
  moduleNameMapper: { ...packages, "^graphql$": resolve("graphql") },
};
