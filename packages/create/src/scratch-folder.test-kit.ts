import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a temporary folder, removed at the end of its scope. */
export const scratchFolder = (): Disposable & { readonly path: string } => {
  const path = mkdtempSync(join(tmpdir(), "create-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
};
