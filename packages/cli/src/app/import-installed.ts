import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FrameworkError } from "@framework/core";

/** Imports a package as resolved from the project, not from this program. @throws CLI_NO_PACKAGE when the project does not have it */
export const importInstalled = async (
  name: string,
  cwd: string,
): Promise<Readonly<Record<string, unknown>>> => {
  let path: string;
  try {
    path = createRequire(join(cwd, "package.json")).resolve(name);
  } catch (cause) {
    throw new FrameworkError(
      "CLI_NO_PACKAGE",
      `${name} is not installed in ${cwd}; run npm install ${name}`,
      { cause },
    );
  }
  return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
};
