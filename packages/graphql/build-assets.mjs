// Copies the files that GraphiQL's page loads, compressed, and their licence into the built package: 2 MB instead of 9.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { bundleFiles, compressOrigin, copies } from "./dist/page/bundle.js";

rmSync(copies, { recursive: true, force: true });
mkdirSync(copies, { recursive: true });
for (const file of Object.keys(bundleFiles))
  writeFileSync(join(copies, `${file}.br`), await compressOrigin(file, 9));
const origin = dirname(createRequire(import.meta.url).resolve("@graphql-yoga/render-graphiql/package.json"));
// pnpm omits this package's LICENSE if any folder has a file of that name.
copyFileSync(join(origin, "LICENSE"), join(copies, "graphiql-LICENSE.txt"));
