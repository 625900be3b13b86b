// Bundles a package's entries into dist, in the package's folder: loading one file in the place of a hundred is most of a service's start.
import { rmSync } from "node:fs";
import { build } from "esbuild";

rmSync("dist/chunks", { recursive: true, force: true }); // their names hold hashes, so old ones would stay
await build({
  entryPoints: process.argv.slice(2),
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node24",
  logLevel: "warning",
});
