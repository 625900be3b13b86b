import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { FrameworkError } from "@framework/core";
import { generateClient } from "../generator/generate-client.ts";
import { awaitChange } from "./await-change.ts";
import { lineChanges } from "./line-changes.ts";
import { readDocument, sourceKind } from "./read-document.ts";

/** Output of the command. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}

const USAGE = `usage: framework-client SOURCE --out FILE [options]

SOURCE           file or URL of an OpenAPI document in JSON, or a module that exports an app or createApp
--out FILE       the generated module
--check          writes nothing; exit code 1 and the changed lines if FILE is out of date
--watch          writes the module again when the document changes (file or URL)
--document PATH  path of the document in an app, default /openapi.json
--json           prints one JSON object for each result
--help           prints this text`;

interface Result {
  readonly outcome: "written" | "current" | "stale";
  readonly file: string;
  readonly changes: readonly string[];
}

/**
 * `framework-client SOURCE --out FILE`: writes a typed client; with `--check` it only checks whether the file is up to date.
 *
 * @param signal ends `--watch`
 * @returns the exit code: 0; 1 if `--check` finds the file out of date or the command fails, such as for a malformed document; 2 for invalid arguments
 */
export const runClientCommand = async (
  args: readonly string[],
  output: Output,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> => {
  const given = argumentsOf(args);
  if (typeof given === "string") {
    output.err(`framework-client: ${given}\n${USAGE}`);
    return 2;
  }
  if (given === null) {
    output.out(USAGE);
    return 0;
  }
  for (let isFirst = true; ; isFirst = false) {
    const changed = given.watch ? untilChange(given.source, signal) : null; // watching starts before the document is read, so that no change is missed
    const code = await attempt(given, output, isFirst);
    const problem = await changed;
    if (problem !== null) return fail(problem, given, output);
    if (changed === null || signal.aborted) return code;
  }
};

/** Resolves with `null` after a change or when the signal aborts, or with an error if the document cannot be watched. */
const untilChange = async (source: string, signal: AbortSignal): Promise<Error | null> => {
  try {
    await awaitChange(source, signal);
    return null;
  } catch (cause) {
    if (signal.aborted) return null;
    return new Error(`cannot watch ${source}: ${messageOf(cause)}`, { cause });
  }
};

interface Arguments {
  readonly source: string;
  readonly out: string;
  readonly check: boolean;
  readonly watch: boolean;
  readonly json: boolean;
  readonly document: string;
}

/** Returns the arguments, an error message, or `null` for `--help`. */
const argumentsOf = (args: readonly string[]): Arguments | string | null => {
  const flag = { type: "boolean", default: false } as const;
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: "string", short: "o" },
        document: { type: "string", default: "/openapi.json" },
        check: flag,
        watch: flag,
        json: flag,
        help: { ...flag, short: "h" },
      },
    });
    const { out, help, ...others } = values;
    const [source, ...more] = positionals;
    if (help) return null;
    if (source === undefined || more.length > 0) return "expected exactly one SOURCE";
    if (out === undefined) return "--out FILE is required";
    if (others.watch && others.check) return "--watch and --check cannot be combined";
    if (others.watch && sourceKind(source) === "module")
      return "--watch needs a document as a file or URL: a module is loaded only once";
    return { source, out, ...others };
  } catch (error) {
    return messageOf(error);
  }
};

/** @param isFirst whether this is the first attempt: later ones do not report an unchanged file, because `--watch` polls a URL every two seconds */
const attempt = async (given: Arguments, output: Output, isFirst: boolean): Promise<number> => {
  try {
    const result = await generate(given);
    if (result.outcome === "current" && !isFirst) return 0;
    if (given.json) output.out(JSON.stringify(result));
    else for (const line of linesOf(result)) output[result.outcome === "stale" ? "err" : "out"](line);
    return result.outcome === "stale" ? 1 : 0;
  } catch (error) {
    return fail(error, given, output);
  }
};

const fail = (error: unknown, { json }: Arguments, output: Output): number => {
  const code = FrameworkError.is(error) ? error.code : null;
  if (json) output.out(JSON.stringify({ outcome: "failed", code, message: messageOf(error) }));
  else output.err(`framework-client: ${messageOf(error)}`);
  return 1;
};

const generate = async ({ source, out, check, document }: Arguments): Promise<Result> => {
  const text = generateClient(await readDocument(source, document));
  const present = await readIfPresent(out);
  if (present === text) return { outcome: "current", file: out, changes: [] };
  const changes = lineChanges(present ?? "", text);
  if (check) return { outcome: "stale", file: out, changes };
  await writeFile(out, text);
  return { outcome: "written", file: out, changes };
};

const readIfPresent = async (file: string): Promise<string | null> => {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (Error.isError(error) && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
};

const linesOf = ({ outcome, file, changes }: Result): readonly string[] => {
  if (outcome === "current") return [`${file} is up to date`];
  if (outcome === "written") return [`${file} written`];
  return [`framework-client: ${file} is out of date; run framework-client without --check`, ...changes];
};

const messageOf = (error: unknown): string => (Error.isError(error) ? error.message : String(error));
