import { nodeBuiltin } from "../../runtime/node-builtins.ts";

/** Version of this package; "unknown" when its manifest is not beside it, as in a program bundled into one file. */
export const frameworkVersion = (): string => {
  try {
    const { readFileSync } = nodeBuiltin("node:fs");
    const manifest: unknown = JSON.parse(
      readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
    );
    const { version } = manifest as { version?: unknown };
    return typeof version === "string" ? version : "unknown";
  } catch {
    return "unknown"; // only text for people depends on it
  }
};
