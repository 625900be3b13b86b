import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildPackages, packageReferences } from "../built-packages.ts";
import { linkPackages, scratchFolder } from "../scratch-folder.ts";
import type { Block } from "./extract-blocks.ts";
import { runProblems } from "./run-problems.ts";
import { runPrograms } from "./run-programs.ts";

/** Time limit of all executed blocks together, in milliseconds. */
const RUN_TIMEOUT_MS = 240_000;

/**
 * Compiles every `ts` and `js` block as a separate module, in one compiler run without the types of browsers and one with them, and executes the
 * blocks marked `run`.
 *
 * A block with a file name can be imported by the other blocks of its document. A block can import every package of the workspace and the dependencies of its
 * document's package. The output of an executed block must equal the comments after its `console.log` calls.
 */
export const checkCode = (root: string, blocks: readonly Block[]): string[] => {
  if (blocks.length === 0) return [];
  using folder = scratchFolder(root);
  const files = new Map<string, Block>();
  for (const block of blocks) {
    const home = block.document.replaceAll(/[^a-zA-Z0-9]+/g, "-");
    installFor(root, join(folder.path, home), packageOf(block.document));
    const file = `${home}/${block.file ?? `line-${block.line}.${block.language}`}`;
    writeFileSync(join(folder.path, file), "\n".repeat(block.line) + block.code); // the line numbers match the document
    files.set(file, block);
  }
  buildPackages(root);
  const problems = [...new Set(libraries.flatMap((library) => compile(root, folder.path, files, library)))];
  if (problems.length > 0) return problems;
  const executed = [...files].filter(([, block]) => block.isRun);
  const runs = runPrograms(
    executed.map(([file]) => join(folder.path, file)),
    { timeoutMs: RUN_TIMEOUT_MS, flags: ["--conditions=@framework/source"] },
  );
  return executed.flatMap(([, block], index) => runProblems(block, runs[index]));
};

/** Returns the folder of the package of a document, whose pages are in `docs`. Guides use the dependencies of `tests/ports`. */
const packageOf = (document: string): string =>
  document.startsWith("docs/") ? "tests/ports" : dirname(document).replace(/\/docs$/, "");

const installFor = (root: string, home: string, owner: string): void => {
  if (existsSync(home)) return;
  linkPackages(root, home);
  const own = join(root, owner, "node_modules");
  if (owner === "." || !existsSync(own)) return;
  for (const name of readdirSync(own)) {
    if (name.startsWith(".") || name === "@framework") continue;
    symlinkSync(join(own, name), join(home, "node_modules", name), "junction");
  }
};

const tsconfig = {
  extends: "../../tsconfig.base.json",
  include: ["**/*.ts", "**/*.js"],
  compilerOptions: {
    allowJs: true,
    checkJs: true,
    composite: false,
    isolatedDeclarations: false,
    moduleDetection: "force",
    noEmit: true,
  },
};

const lib = ["es2025", "esnext.disposable", "esnext.error"];

/** Without and with the types of browsers, which a program has when its tsconfig.json has no `lib`. */
const libraries: readonly (readonly string[])[] = [lib, [...lib, "dom"]];

const compile = (
  root: string,
  folder: string,
  files: ReadonlyMap<string, Block>,
  library: readonly string[],
): string[] => {
  const compilerOptions = { ...tsconfig.compilerOptions, lib: library };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ ...tsconfig, compilerOptions, ...packageReferences(root) }),
  );
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status === 0) return [];
  const text = [...files].reduce(
    (all, [file, block]) => all.replaceAll(file, block.document),
    stdout + stderr,
  );
  return ownProblems(text.trimEnd().split("\n"));
};

/** Removes compiler errors in the sources of packages, which their builds report. */
const ownProblems = (lines: readonly string[]): string[] => {
  let own = true;
  return lines.filter((line) => {
    if (!/^\s/.test(line)) own = !line.startsWith("../../");
    return own;
  });
};
