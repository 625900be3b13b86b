// Publishes the workspace to a temporary local registry, and writes PACKAGES.md from the published packages.
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../root.ts";
import { packageTable, readPublished } from "./package-table.ts";
import { rehearse } from "./rehearse.ts";

using folder = mkdtempDisposableSync(join(tmpdir(), "release-"));
await using rehearsal = await rehearse(root, folder.path);
rehearsal.release();
const packages = await Promise.all(
  rehearsal.packages.map(({ manifest }) => readPublished(rehearsal.registry, manifest.name)),
);
writeFileSync(join(root, "PACKAGES.md"), packageTable(packages));
console.log(`${packages.length} packages`);
