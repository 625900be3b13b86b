import { resolve } from "node:path";
import type { Problem } from "@framework/core";
import { parseEnvFile } from "./env-file.ts";
import { readFileText } from "./read-file.ts";

/** Environment variables, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A source of variables: the environment, or a `.env` file. */
export interface Source {
  /** `environment`, or the name of the file. */
  readonly name: string;
  /** Folder for relative paths of `_FILE` variables. */
  readonly folder: string;
  /** Names of all variables that are set. */
  readonly names: readonly string[];
  /** Returns the text of a variable; `undefined` for one that is not set, or empty. */
  readonly get: (name: string) => string | undefined;
  /** Returns the source of a variable in messages: `the environment`, `.env, line 3`. */
  readonly location: (name: string) => string;
}

/** Returns the environment as a source. */
export const environmentSource = (env: Variables, folder: string): Source => ({
  name: "environment",
  folder,
  names: Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== ""),
  get: (name) => (Object.hasOwn(env, name) && env[name] !== "" ? env[name] : undefined),
  location: () => "the environment",
});

/** Returns the existing `.env` files of a folder in order of precedence: `.env.local`, `.env.<mode>`, `.env`. */
export const envFileSources = (folder: string, mode: string, problems: Problem[]): Source[] => {
  if (!/^[\w-]{1,40}$/.test(mode)) {
    const message = `the mode ${JSON.stringify(mode.slice(0, 60))} must be a word of up to 40 letters, digits, _ and -: correct mode or FRAMEWORK_ENV`;
    problems.push({ code: "CONFIG_BAD_MODE", message });
    return [];
  }
  const names = new Set([".env.local", `.env.${mode}`, ".env"]);
  return [...names].flatMap((name) => fileSource(folder, name, problems) ?? []);
};

const fileSource = (folder: string, name: string, problems: Problem[]): Source | null => {
  const refuse = (message: string): void => void problems.push({ code: "CONFIG_BAD_FILE", message });
  const read = readFileText(resolve(folder, name));
  if ("problem" in read) {
    if (!read.isAbsent) refuse(`${name} ${read.problem}: correct or remove it`);
    return null;
  }
  const file = parseEnvFile(read.text);
  for (const { line, problem } of file.problems) refuse(`${name}, line ${line} ${problem}: correct the line`);
  const names = [...file.values.keys()].filter((each) => file.values.get(each) !== "");
  return {
    name,
    folder,
    names,
    get: (each) => file.values.get(each) || undefined,
    location: (each) => `${name}, line ${file.lines.get(each) ?? "?"}`,
  };
};
