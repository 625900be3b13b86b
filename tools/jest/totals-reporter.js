import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Leaves the counts of one package's run beside it, so that the whole matrix can print plain totals at its end. */
export default class {
  constructor({ rootDir }) {
    this.file = join(rootDir, "test-results.json");
  }

  onRunComplete(_contexts, results) {
    const {
      numPassedTests: passed,
      numFailedTests,
      numFailedTestSuites,
      numPendingTests,
      numTodoTests,
    } = results;
    const failed = Math.max(numFailedTests, numFailedTestSuites);
    writeFileSync(
      this.file,
      `${JSON.stringify({ passed, failed, skipped: numPendingTests + numTodoTests })}\n`,
    );
  }
}
