import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkCode } from "./check-code.ts";
import { checkCommands, type Known } from "./check-commands.ts";
import { installProblems } from "./install-problems.ts";
import { manifestOf, packagesOf } from "./manifests.ts";
import { checkQuotes } from "./check-quotes.ts";
import { extractBlocks } from "./extract-blocks.ts";

/** Result of a check of all documents. */
export interface DocsReport {
  readonly documents: readonly string[];
  /** Number of checked blocks. */
  readonly blocks: number;
  readonly problems: readonly string[];
}

const patterns = [
  "{README,ARCHITECTURE,CONTRIBUTING}.md",
  "{packages,apps}/*/README.md",
  "packages/*/docs/*.md",
  "docs/**/*.md",
  "tests/ports/README.md",
  "bench/{README,comparison}.md",
];

/** Checks every example of the workspace's documents: code compiles and runs, commands exist. */
export const checkDocs = (root: string): DocsReport => {
  const documents = globSync(patterns, { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();
  const texts = new Map(documents.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  const read = documents.map((path) => extractBlocks(path, texts.get(path) ?? ""));
  const blocks = read.flatMap((document) => document.blocks);
  const known = readKnownNames(root);
  const commands = blocks.filter(({ language }) => language === "sh");
  const code = blocks.filter(({ language }) => language !== "sh");
  const problems = [
    ...read.flatMap((document) => document.problems),
    ...checkQuotes(
      root,
      read.flatMap(({ quotes }) => quotes),
    ),
    ...commands.flatMap((block) => checkCommands(block, known)),
    ...installProblems(root, texts, blocks),
    ...checkCode(root, code),
  ];
  return { documents, blocks: blocks.length, problems };
};

const readKnownNames = (root: string): Known => {
  const packages = packagesOf(root);
  const apps = globSync("{apps,tests}/*/package.json", { cwd: root }).map((path) => manifestOf(root, path));
  const { scripts = {} } = manifestOf(root, "package.json");
  const { tasks } = JSON.parse(readFileSync(join(root, "turbo.json"), "utf8")) as {
    tasks: Readonly<Record<string, unknown>>;
  };
  return {
    scripts: Object.keys(scripts),
    programs: readdirSync(join(root, "node_modules/.bin")),
    tasks: Object.keys(tasks),
    packages: packages.map(({ name }) => name),
    scriptsOf: Object.fromEntries(
      [...packages, ...apps].map(({ name, scripts: own = {} }) => [name, Object.keys(own)]),
    ),
    bins: packages.flatMap(({ bin = {} }) => Object.keys(bin)),
    exists: (path) => existsSync(join(root, path)),
  };
};
