import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageReferences } from "../built-packages.ts";
import { linkPackages, scratchFolder } from "../scratch-folder.ts";

const tsconfig = {
  extends: "../../tsconfig.base.json",
  files: ["program.ts"],
  compilerOptions: { composite: false, declarationMap: false, isolatedDeclarations: false, noEmit: true },
};

/**
 * Counts the type instantiations of the compiler for one module that uses the packages of the workspace, which must be built.
 *
 * @throws Error with the compiler's report when the module does not compile
 */
export const countInstantiations = (root: string, code: string): number => {
  using folder = scratchFolder(root);
  linkPackages(root, folder.path);
  writeFileSync(join(folder.path, "program.ts"), code);
  writeFileSync(
    join(folder.path, "tsconfig.json"),
    JSON.stringify({ ...tsconfig, ...packageReferences(root) }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const flags = ["-p", ".", "--extendedDiagnostics", "--singleThreaded"]; // several checkers would count shared types twice
  const { stdout } = spawnSync(process.execPath, [tsc, ...flags], { cwd: folder.path, encoding: "utf8" });
  const [, count] = /^Instantiations:\s+(\d+)/m.exec(stdout) ?? [];
  if (count === undefined || /^program\.ts\(/m.test(stdout)) throw new Error(stdout);
  return Number(count);
};
