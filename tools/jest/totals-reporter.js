import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Leaves the counts of one package's run beside it, so that the whole matrix can print plain totals at its end. */
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
