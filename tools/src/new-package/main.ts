import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { root } from "../root.ts";
import { deriveNames, NewPackageError } from "./names.ts";
import { newPackage } from "./new-package.ts";

const USAGE = "usage: pnpm new:package NAME [--feature enableX]";

const main = (): void => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { feature: { type: "string" } },
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new NewPackageError(USAGE);
  const files = newPackage(root, deriveNames(name, values.feature));
  spawnSync("oxfmt", files, { cwd: root, shell: process.platform === "win32" }); // line breaks depend on the length of the names
  console.log(files.join("\n"));
  console.log(
    `\nNext:\n  pnpm install\n  pnpm turbo run build test --filter=@framework/${name}\n  pnpm lint`,
  );
};

try {
  main();
} catch (error) {
  if (!(error instanceof NewPackageError) && !isParseError(error)) throw error;
  console.error(error instanceof NewPackageError ? error.message : `${error.message}\n${USAGE}`);
  process.exitCode = 1;
}

function isParseError(error: unknown): error is Error {
  return Error.isError(error) && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
