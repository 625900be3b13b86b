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
  const problem = format(files);
  console.log(files.join("\n"));
  console.log(
    `\nNext:\n  pnpm install\n  pnpm turbo run build test --filter=@framework/${name}\n  pnpm lint`,
  );
  if (problem !== null)
    throw new NewPackageError(
      `the files are written but not formatted, because oxfmt failed: ${problem}; run pnpm oxfmt packages/${name}`,
    );
};

/** Formats files: line breaks depend on the length of the names. Returns the problem if that fails, else `null`. */
const format = (files: readonly string[]): string | null => {
  const { error, status, stderr } = spawnSync("oxfmt", files, {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (error !== undefined) return error.message;
  return status === 0 ? null : stderr.trim();
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
