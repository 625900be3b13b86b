import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes the counts of one package's run into its folder; `verify.mjs` adds them up. */
export default class {
  constructor({ rootDir }, { file = "test-results.json" } = {}) {
    this.file = join(rootDir, file);
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites; // a suite that could not even start has no tests to count
    const skipped = results.numPendingTests + results.numTodoTests;
    writeFileSync(this.file, `${JSON.stringify({ passed, failed, skipped })}\n`);
  }
}
