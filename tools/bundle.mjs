// Bundles a package's entries into dist, in the package's folder: loading three files in the place of a hundred is most of a service's start.
import { rmSync } from "node:fs";
import { basename } from "node:path";
import { build } from "rolldown";

rmSync("dist/chunks", { recursive: true, force: true }); // their names hold hashes, so old ones would stay
await build({
  input: Object.fromEntries(process.argv.slice(2).map((file) => [basename(file, ".ts"), `./${file}`])),
  platform: "node",
  external: (id) => !/^[./]/.test(id),
  logLevel: "warn",
  output: {
    dir: "dist",
    format: "esm",
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: { jsdoc: false },
    // What several entries need is one file: each more takes longer to find than to read.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
  },
});
