// Bundles the page's program, and copies its other files into the built package. With --print it only prints the program, for use from the source tree.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const page = join(import.meta.dirname, "page");
const assets = join(import.meta.dirname, "dist/assets");

/** Returns the program of the page as one script. */
const bundlePage = async () => {
  const bundle = await rolldown({ input: join(page, "main.ts"), platform: "browser" });
  const { output } = await bundle.generate({ format: "iife", minify: true });
  await bundle.close();
  return output[0].code;
};

if (process.argv.includes("--print")) {
  process.stdout.write(await bundlePage());
} else {
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets, { recursive: true });
  writeFileSync(join(assets, "page.js"), await bundlePage());
  for (const file of ["page.html", "page.css"]) copyFileSync(join(page, file), join(assets, file));
}
