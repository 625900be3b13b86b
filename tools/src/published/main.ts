import { join } from "node:path";
import { root } from "../root.ts";
import { readWorkspace } from "../workspace/read-workspace.ts";
import { checkTarball } from "./check-tarball.ts";
import { packFolder } from "./pack.ts";

const published = (): string[] =>
  readWorkspace(root)
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder }) => join(root, folder));

const given = process.argv.slice(2);
const folders = given.length > 0 ? given : published();
let count = 0;
for (const folder of folders)
  for (const problem of await checkTarball(packFolder(folder))) {
    console.error(`${folder}: ${problem}`);
    count += 1;
  }
console.log(`${folders.length} packages, ${count} problems`);
process.exitCode = count > 0 ? 1 : 0;
