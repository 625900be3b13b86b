import { relative } from "node:path";
import { FrameworkError } from "@framework/core";
import { type CreatedService, createService } from "./create-service.ts";
import { readWords, type Words } from "./read-words.ts";
import { TEMPLATE_NAME } from "./service-files.ts";
import { treeLines } from "./tree.ts";

/** Options of `commandLine`. */
export interface CommandLineOptions {
  /** Receives the result. @default writes to stdout */
  readonly write?: (text: string) => void;
  /** Receives error messages. @default writes to stderr */
  readonly writeError?: (text: string) => void;
  /** Working directory. @default the working directory of the process */
  readonly cwd?: string;
  /** Prompts for a line of text, used for a missing name; `null` if there is no terminal. @default null */
  readonly ask?: ((question: string) => Promise<string>) | null;
}

const usageText = `Usage: npm create @framework [name] [-- options]

Writes a TypeScript service into a new folder. It runs on Node 24 and newer without a build step.

  name                 folder and name of the service; "." for the working directory. Default: ${TEMPLATE_NAME}

  --variant full       features, settings, tests, Dockerfile, Compose, Kubernetes, systemd, CI (default)
  --variant minimal    two routes and their test, with @framework/core alone
  -y, --yes            ask nothing: without a name the service is called ${TEMPLATE_NAME}
  --json               print one JSON value
  -h, --help           print this text

Exit codes: 0 written, 1 not written, 2 the command line is invalid
`;

/**
 * Runs `npm create @framework` and resolves with the exit code: 0 written, 1 not written, 2 the command line is invalid.
 *
 * @param words the command line without the program's name: `["my-service", "--variant", "minimal"]`
 */
export const commandLine = async (
  words: readonly string[],
  options: CommandLineOptions = {},
): Promise<number> => {
  const { write = standardOutput, writeError = standardError, cwd = process.cwd(), ask = null } = options;
  try {
    const given = readWords(words);
    if (given.help) {
      write(given.json ? json({ usage: usageText }) : usageText);
      return 0;
    }
    const created = createService(await nameOf(given, ask), { variant: given.variant, cwd });
    const next = nextCommands(created, cwd);
    write(given.json ? json({ ...created, next }) : report(created, next));
    return 0;
  } catch (error) {
    const { code, message } = errorData(error);
    if (words.includes("--json")) write(json({ error: { code, message } }));
    else writeError(`error: ${message}\n`);
    return code === "CREATE_USAGE" || code === "CREATE_BAD_NAME" ? 2 : 1;
  }
};

const nameOf = async (
  { name, yes, json: isData }: Words,
  ask: CommandLineOptions["ask"],
): Promise<string> => {
  if (name !== undefined) return name;
  if (ask === null || ask === undefined || yes || isData) return TEMPLATE_NAME;
  const answer = (await ask(`Name of the service (${TEMPLATE_NAME}): `)).trim();
  return answer === "" ? TEMPLATE_NAME : answer;
};

const nextCommands = ({ folder }: CreatedService, cwd: string): readonly [string, string] => {
  const path = relative(cwd, folder);
  return [path === "" ? "npm install" : `cd ${path} && npm install`, "npm run dev"];
};

const report = ({ name, files }: CreatedService, next: readonly string[]): string =>
  `${[`${name}/`, ...treeLines(files, "  "), "", "Next:", ...next.map((command) => `  ${command}`)].join("\n")}\n`;

const errorData = (error: unknown): { readonly code: string | null; readonly message: string } =>
  FrameworkError.is(error)
    ? { code: error.code, message: error.message }
    : { code: null, message: error instanceof Error ? error.message : String(error) };

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const standardOutput = (text: string): void => void process.stdout.write(text);
const standardError = (text: string): void => void process.stderr.write(text);
