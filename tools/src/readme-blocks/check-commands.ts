import type { Block } from "./extract-blocks.ts";

/** Names that the commands of documents may use. */
export interface Known {
  /** Scripts of the root package.json. */
  readonly scripts: readonly string[];
  /** Programs of the workspace that `pnpm NAME` can run. */
  readonly programs: readonly string[];
  /** Tasks of turbo.json. */
  readonly tasks: readonly string[];
  /** Packages of the workspace. */
  readonly packages: readonly string[];
  /** Scripts of packages and applications, by their names. */
  readonly scriptsOf: Readonly<Record<string, readonly string[]>>;
  /** Programs that the packages install. */
  readonly bins: readonly string[];
  /** Whether a file of the repository exists. */
  readonly exists: (path: string) => boolean;
}

const everywhere = [
  "awk",
  "cd",
  "curl",
  "cut",
  "docker",
  "echo",
  "export",
  "git",
  "grep",
  "head",
  "kill",
  "mkdir",
  "openssl",
];
const pnpm = ["add", "exec", "install", "pack", "publish", "-r"];

/** Returns the problems of an `sh` block: programs, scripts, packages or files that do not exist. */
export const checkCommands = (block: Block, known: Known): string[] =>
  commandsOf(block.code).flatMap(({ words, line }) => {
    const problem = problemOf(words, known);
    return problem === null ? [] : [`${block.document}:${block.line + line} ${problem}`];
  });

const commandsOf = (code: string): { words: string[]; line: number }[] =>
  code
    .replaceAll(/'[^']*'|"[^"]*"/g, "''") // quoted text is an argument
    .replaceAll(/^\w+\(\) \{(.*)\}$/gm, "$1") // the body of a function
    .replaceAll(/\$\(([^()]*)\)/g, "'' ; $1 ;") // command substitution
    .split("\n")
    .map((text, index, all) => (all[index - 1]?.endsWith("\\") === true ? "" : text))
    .flatMap((text, index) =>
      text
        .replace(/(^|\s)#.*$/, "")
        .split(/&&|\|\|?|;/)
        .map((command) => command.trim().split(/\s+/))
        .map((words) => words.slice(words.filter(isAssignment).length))
        .filter(([program]) => program !== undefined && program !== "")
        .map((words) => ({ words, line: index + 1 })),
    );

const isAssignment = (word: string, index: number, words: readonly string[]): boolean =>
  words.slice(0, index + 1).every((each) => /^(\$|[A-Z_]+=.*)$/.test(each));

const problemOf = ([program = "", ...rest]: readonly string[], known: Known): string | null => {
  const [first = ""] = rest;
  if (program === "npm") return npmProblem(rest, known);
  if (program === "pnpm") return pnpmProblem(rest, known);
  if (program === "node") return fileProblem(rest.find((word) => !word.startsWith("-")) ?? "", known);
  if (everywhere.includes(program) || known.bins.includes(program)) return null;
  return `no package of the workspace provides the command "${program} ${first}"`;
};

const npmProblem = ([verb = "", ...rest]: readonly string[], known: Known): string | null => {
  if (verb === "start" || verb === "test") return scriptProblem(verb, known);
  if (verb === "run") return scriptProblem(rest[0] ?? "", known);
  if (verb !== "install" && verb !== "i") return `npm ${verb} is not a command of this workspace`;
  const missing = rest.find((name) => name.startsWith("@framework/") && !known.packages.includes(name));
  return missing === undefined ? null : `${missing} is not a package of this workspace`;
};

const pnpmProblem = ([verb = "", ...rest]: readonly string[], known: Known): string | null => {
  if (verb === "run") return scriptProblem(rest[0] ?? "", known);
  if (verb === "--filter") return filteredProblem(rest, known);
  if (verb === "turbo") return tasksProblem(rest, known);
  if (pnpm.includes(verb) || known.programs.includes(verb)) return null;
  return scriptProblem(verb, known);
};

const filteredProblem = ([name = "", script = ""]: readonly string[], known: Known): string | null =>
  known.scriptsOf[name]?.includes(script) === true ? null : `${name} has no script "${script}"`;

const tasksProblem = (words: readonly string[], known: Known): string | null => {
  const tasks = words.filter((word) => word !== "run" && !word.startsWith("-"));
  const missing = words[0] === "run" ? tasks.find((task) => !known.tasks.includes(task)) : undefined;
  return missing === undefined ? null : `turbo.json has no task ${missing}`;
};

const scriptProblem = (name: string, known: Known): string | null =>
  known.scripts.includes(name) ? null : `package.json has no script "${name}"`;

const fileProblem = (path: string, known: Known): string | null => {
  const source = path.replace("/dist/", "/src/").replace(/\.js$/, ".ts"); // built files exist only after a build
  return known.exists(path) || known.exists(source) ? null : `there is no file ${path}`;
};
