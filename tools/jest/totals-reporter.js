import { writeFileSync } from "node:fs";
import { join } from "node:path";

const maxFailures = 20; // in the file; the log has all of them
const maxMessage = 2_000;

/** Returns the failed tests of a run, and the suites that could not start, each with the beginning of its message. */
const failuresOf = (results) => {
  const failures = results.testResults.flatMap(
    ({ testFilePath, testExecError, failureMessage, testResults }) => {
      const file = testFilePath.slice(testFilePath.indexOf("/src/") + 1);
      if (testExecError !== undefined) return [{ file, test: "", message: failureMessage ?? "" }];
      return testResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName, failureMessages }) => ({
          file,
          test: fullName,
          message: failureMessages[0] ?? "",
        }));
    },
  );
  return failures
    .slice(0, maxFailures)
    .map((failure) => ({ ...failure, message: failure.message.slice(0, maxMessage) }));
};

/** Writes the counts and failures of the run of one package into its folder; `verify.mjs` sums them. */
export default class {
  constructor({ rootDir }, { file = "test-results.json" } = {}) {
    this.file = join(rootDir, file);
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites; // a suite that could not start has no tests
    const skipped = results.numPendingTests + results.numTodoTests;
    writeFileSync(
      this.file,
      `${JSON.stringify({ passed, failed, skipped, failures: failuresOf(results) })}\n`,
    );
  }
}
