import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder for the temporary files of the tests and of their programs, and deletes it at the end of the run. */
export default class {
  onRunStart() {
    const folder = mkdtempSync(join(tmpdir(), "framework-tests-"));
    chmodSync(folder, 0o755); // a server that runs as another user has a folder in it
    process.env.TMPDIR = folder;
    process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  }
}
