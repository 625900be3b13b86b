import { mkdirSync, mkdtempDisposableSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Creates a folder inside the workspace, where imports resolve; it is deleted when disposed, and ignored by git. */
export const scratchFolder = (root: string): { readonly path: string; [Symbol.dispose](): void } =>
  mkdtempDisposableSync(join(root, "tools/.tmp-"));

/** Makes every package of the workspace importable from the modules in `home`. */
export const linkPackages = (root: string, home: string): void => {
  mkdirSync(join(home, "node_modules/@framework"), { recursive: true });
  for (const name of readdirSync(join(root, "packages"))) {
    symlinkSync(join(root, "packages", name), join(home, "node_modules/@framework", name), "junction");
  }
};
