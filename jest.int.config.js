import base from "./jest.config.js";

const tool = (name) => `${import.meta.dirname}/tools/jest/${name}`;

/** Tests that need a real server; `node tools/services/src/main.ts -- turbo run test:int` starts the servers. */
export default {
  ...base,
  testMatch: ["<rootDir>/src/**/*.int.test.ts"],
  testPathIgnorePatterns: [],
  reporters: [
    "default",
    [tool("totals-reporter.js"), { file: "test-int-results.json" }],
    [tool("leftovers-reporter.js"), {}],
    [tool("temporary-files-reporter.js"), {}],
  ],
};
