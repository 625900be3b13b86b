import { createRequire } from "node:module";
import base from "../../jest.config.js";

const { resolve } = createRequire(import.meta.url);

// The package itself is loaded from its sources: in the bundle, `graphql` is the release that the package depends on.
const { "^@framework/graphql$": _bundled, ...packages } = base.moduleNameMapper;

/** The suites of the package, every `graphql` in them being release 16: also the one of graphql-ws and graphql-http. */
export default {
  ...base,
  rootDir: import.meta.dirname,
  roots: ["<rootDir>/src", "<rootDir>/../../packages/graphql/src"],
  testMatch: ["**/*.test.ts"],
  // Without the suites that start processes, which would load 17, those that execute nothing, those of bytes on sockets, and results in parts, which 16 lacks.
  testPathIgnorePatterns: [
    ...base.testPathIgnorePatterns,
    "/(?:workers|readme|page|graphql-config|in-parts|refusals|socket-limits|client-command)\\.test\\.ts$",
  ],
  moduleNameMapper: { ...packages, "^graphql$": resolve("graphql") },
};
