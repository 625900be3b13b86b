import type { Block } from "./extract-blocks.ts";

/** A document with its code blocks. */
export interface Installing {
  /** Path from the root. */
  readonly document: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Text of the README to which the document belongs: its install lines also count. */
  readonly readme?: string | undefined;
}

/** The parts of a workspace package that an installation provides. */
export interface Installable {
  readonly name: string;
  /** Required peers, which npm installs with it. */
  readonly peers: readonly string[];
  /** Programs that `npx` can run. */
  readonly bins: readonly string[];
}

/**
 * Returns packages that a document uses and does not install: a package that a block imports, or the package of a program that it starts with `npx`.
 *
 * An `npm install` line covers its packages and their peers. Dependencies of a package do not count: not every package manager lets a program import them.
 * `npx` without an installation would download whatever package has the program's name.
 */
export const checkInstalls = (
  { document, text, blocks, readme = "" }: Installing,
  packages: readonly Installable[],
): string[] => {
  const installed = installedBy([text, readme], packages);
  return used(text, blocks, packages)
    .filter(({ name }) => !installed.has(name))
    .map(({ name, line, by }) => `${document}:${line} ${by} needs ${name}, which no install line installs`);
};

const installedBy = (texts: readonly string[], packages: readonly Installable[]): ReadonlySet<string> => {
  const installed = new Set<string>();
  const add = (name: string): void => {
    if (installed.has(name)) return;
    installed.add(name);
    packages.find((each) => each.name === name)?.peers.forEach(add);
  };
  for (const [, names = ""] of texts.flatMap((text) => [...text.matchAll(/npm (?:install|i) ([^\n`#]*)/g)]))
    names.split(/\s+/).map(packageOf).forEach(add);
  return installed;
};

interface Use {
  /** Name of the package. */
  readonly name: string;
  readonly line: number;
  readonly by: string;
}

const used = (text: string, blocks: readonly Block[], packages: readonly Installable[]): Use[] => [
  ...blocks.flatMap(importsOf),
  ...Array.from(text.matchAll(/\bnpx ([\w-]+)/g)).flatMap(({ index, 1: program = "" }) => {
    const owner = packages.find(({ bins }) => bins.includes(program));
    const line = text.slice(0, index).split("\n").length;
    return owner === undefined ? [] : [{ name: owner.name, line, by: `npx ${program}` }];
  }),
];

const importsOf = ({ language, code, line }: Block): Use[] =>
  language === "sh"
    ? []
    : Array.from(code.matchAll(/\b(?:from|import)[ (]"([^"]+)"/g))
        .map(({ 1: path = "" }) => ({ name: packageOf(path), line, by: "the block" }))
        .filter(({ name }) => !name.startsWith("node:") && !name.startsWith("."));

/** Returns the package of an import path, or of an argument of `npm install` with or without a version. */
const packageOf = (path: string): string => /^(?:@[^/]+\/)?[^/@]+/.exec(path)?.[0] ?? path;
