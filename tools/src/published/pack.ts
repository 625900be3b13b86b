import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../run-node.ts";

/** Returns the tarball that `pnpm publish` would send for the package in `folder`. */
export const packFolder = (folder: string): Uint8Array<ArrayBuffer> => {
  using target = mkdtempDisposableSync(join(tmpdir(), "published-"));
  const printed = run(folder, "pnpm", "pack", "--json", "--pack-destination", target.path);
  const { filename } = JSON.parse(printed) as { readonly filename: string };
  return new Uint8Array(readFileSync(filename));
};
