import { nodeBuiltin } from "../../runtime/node-builtins.ts";

/** Maximum number of folders between the manifest and a module, in sources and builds. */
const MAX_DEPTH = 4;

/** Version of this package; "unknown" without its manifest, as in a program bundled into one file. */
export const frameworkVersion = (): string => {
  const { readFileSync } = nodeBuiltin("node:fs");
  for (let depth = 1; depth <= MAX_DEPTH; depth++) {
    try {
      const path = new URL(`${"../".repeat(depth)}package.json`, import.meta.url);
      const { name, version } = JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, unknown>>;
      if (name === "@framework/core" && typeof version === "string") return version;
    } catch {
      // no manifest in this folder; the version is used in messages only
    }
  }
  return "unknown";
};
