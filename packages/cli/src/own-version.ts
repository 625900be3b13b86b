import { readFileSync } from "node:fs";

/** Returns the version of this package. */
export const ownVersion = (): string => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
};
