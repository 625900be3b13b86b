/** Programs that run a module of an app, with their subcommand for it, if there is one. */
const runners: ReadonlyMap<string, string | null> = new Map([
  ["node", null],
  ["tsx", "watch"],
  ["bun", "run"],
]);
const MODULE = /\.[cm]?[jt]s$/;
/** Options of runners whose value is the path of another module. */
const OTHER_MODULE =
  /^(?:-r|--require|--import|--preload|--loader|--experimental-loader|--include|--exclude|--ignore|--watch-path)$/;
/** Options of runners whose value is code, which runs in place of a module. */
const CODE = /^(?:-e|--eval|-p|--print|-pe)(?:=|$)/;
/** Options of npx whose value is a package to install. */
const PACKAGE = /^(?:-p|--package)$/;
/** Words of a shell with their quotes, and separators of commands. */
const TOKEN = /(?:[^\s"'&|;]|"[^"]*"|'[^']*')+|[&|;\n]/g;
const SEPARATOR = /^[&|;\n]$/;

/**
 * Returns the module that a script of package.json runs, from its last command that calls `node`, `tsx` or `bun`, such as
 * `npm run build && NODE_ENV=production node --enable-source-maps "src/main.ts" --port 80`. `null` if it runs no module.
 */
export const moduleOfScript = (script: string): string | null =>
  commandsOf(script)
    .map(moduleOfCommand)
    .findLast((path) => path !== null) ?? null;

const commandsOf = (script: string): readonly (readonly string[])[] => {
  const commands: string[][] = [[]];
  for (const [token] of script.matchAll(TOKEN))
    if (SEPARATOR.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replaceAll(/["']/g, ""));
  return commands;
};

/** Whether a word is an option, or a variable that may contain options. */
const isOption = (word: string): boolean => /^-|^\$\{?\w+\}?$/.test(word);

/**
 * Returns the module: the first word after the runner and its subcommand that is neither an option nor the value of one. A word after an option counts as its
 * value, unless it is the path of a module and the option takes none. `null` if the runner gets code in place of a module.
 */
const moduleOfCommand = (words: readonly string[]): string | null => {
  const runner = runnerOf(words);
  if (runner === -1) return null;
  const subcommand = runners.get(words[runner] ?? "");
  const found = words.find((word, at) => {
    if (at <= runner) return false;
    if (CODE.test(word)) return true;
    if (isOption(word) || word === subcommand) return false;
    const before = words[at - 1] ?? "";
    const isAfterOption = before.startsWith("-") && !before.includes("=");
    return !isAfterOption || (MODULE.test(word) && !OTHER_MODULE.test(before));
  });
  return found !== undefined && MODULE.test(found) && !CODE.test(found) ? found : null;
};

/** Returns the index of the runner: a name after `-p` is a package, unless it is the only one; -1 if there is none. */
const runnerOf = (words: readonly string[]): number => {
  const called = words.findIndex((word, at) => runners.has(word) && !PACKAGE.test(words[at - 1] ?? ""));
  return called === -1 ? words.findIndex((word) => runners.has(word)) : called;
};
