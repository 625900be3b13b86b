import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives the tests of a run, and the programs that they start, a folder for temporary files that is deleted at the end. */
export default class {
  onRunStart() {
    const folder = mkdtempSync(join(tmpdir(), "framework-tests-"));
    chmodSync(folder, 0o755); // a server of another user has a folder of its own below it
    process.env.TMPDIR = folder;
    process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  }
}
