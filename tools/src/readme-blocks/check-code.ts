import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { linkPackages, scratchFolder } from "../scratch-folder.ts";
import type { Block } from "./extract-blocks.ts";

/** Milliseconds that an executed block may take. */
const RUN_TIMEOUT_MS = 60_000;

/**
 * Compiles every `ts` and `js` block as a module of its own, in one run of the compiler, and executes those that say `run`.
 *
 * A block sees what its document's readers have installed: every package of the workspace and the document's own dependencies. What an executed
 * block prints must be what the comments behind its `console.log` calls say.
 */
export const checkCode = (root: string, blocks: readonly Block[]): string[] => {
  if (blocks.length === 0) return [];
  using folder = scratchFolder(root);
  const files = new Map<string, Block>();
  for (const block of blocks) {
    const home = block.document.replaceAll(/[^a-zA-Z0-9]+/g, "-");
    installFor(root, join(folder.path, home), packageOf(block.document));
    const file = `${home}/line-${block.line}.${block.language}`;
    writeFileSync(join(folder.path, file), "\n".repeat(block.line) + block.code); // so that lines are the document's
    files.set(file, block);
  }
  const problems = compile(folder.path, files);
  if (problems.length > 0) return problems;
  return [...files].flatMap(([file, block]) => (block.runs ? execute(join(folder.path, file), block) : []));
};

/** Folder of the package that a document belongs to; its pages are in `docs`. */
const packageOf = (document: string): string => dirname(document).replace(/\/docs$/, "");

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
    declarationMap: false,
    isolatedDeclarations: false,
    moduleDetection: "force",
    noEmit: true,
  },
};

const compile = (folder: string, files: ReadonlyMap<string, Block>): string[] => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const tsc = join(folder, "../../node_modules/typescript/bin/tsc");
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

/** Leaves out what the compiler says about the packages' sources: their own builds report that. */
const ownProblems = (lines: readonly string[]): string[] => {
  let own = true;
  return lines.filter((line) => {
    if (!/^\s/.test(line)) own = !line.startsWith("../../");
    return own;
  });
};

const execute = (path: string, block: Block): string[] => {
  const at = `${block.document}:${block.line}`;
  const { NODE_OPTIONS: _flagsOfJest, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=@framework/source", path], {
    encoding: "utf8",
    env,
    timeout: RUN_TIMEOUT_MS,
  });
  if (status !== 0) return [`${at} ended with ${status ?? "a timeout"}: ${stderr.trim()}`];
  const wanted = printedBy(block.code);
  return flowing(stdout) === flowing(wanted) ? [] : [`${at} printed "${stdout.trim()}" and says "${wanted}"`];
};

/** Text without its line breaks: where Node breaks a long object is nothing that a document must repeat. */
const flowing = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** What a block says it prints: the comments behind its `console.log` calls, in order. */
const printedBy = (code: string): string =>
  Array.from(code.matchAll(/^\s*console\.log\(.*\);?[ \t]*\/\/[ \t]*(.*)$/gm), (match) => match[1])
    .join("\n")
    .trim();
