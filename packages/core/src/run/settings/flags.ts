import { describeValue } from "../../config/wrong-value.ts";
import type { Problem } from "../../errors/configuration-error.ts";
import { nearest } from "../../errors/nearest.ts";

/** The flags of a command line; flags that are not on it are absent. */
export interface Flags {
  readonly host?: string;
  readonly port?: number;
  readonly env?: string;
  readonly debug?: boolean;
  readonly reload?: true;
  readonly workers?: number;
  readonly logs?: false;
  readonly transport?: string;
  readonly check?: true;
  readonly help?: true;
  readonly version?: true;
}

/** The parsed flags of a command line, and every mistake in it. */
export interface ParsedFlags {
  readonly flags: Flags;
  readonly problems: readonly Problem[];
}

const isStringList = (argv: unknown): boolean =>
  Array.isArray(argv) && argv.every((word) => typeof word === "string");

const badArgv = (argv: unknown): Problem => ({
  code: "CORE_BAD_SETTING",
  message: `argv must be a list of strings, such as ["--port", "8000"], not ${describeValue(argv)}`,
});

type Switch = readonly [field: keyof Flags, value: boolean];
type Reader = (text: string) => string | number | null;

const wholeNumber: Reader = (text) => (/^\d{1,9}$/.test(text) ? Number(text) : null);
const nonEmpty: Reader = (text) => (text === "" ? null : text);

const switches: ReadonlyMap<string, Switch> = new Map<string, Switch>([
  ["--debug", ["debug", true]],
  ["--no-debug", ["debug", false]],
  ["--reload", ["reload", true]],
  ["--no-logs", ["logs", false]],
  ["--check", ["check", true]],
  ["--help", ["help", true]],
  ["--version", ["version", true]],
]);

const valueFlags: ReadonlyMap<string, readonly [field: keyof Flags, read: Reader, wanted: string]> = new Map([
  ["--host", ["host", nonEmpty, "an address or host name"]],
  ["--port", ["port", wholeNumber, "a whole number"]],
  ["--env", ["env", nonEmpty, "development or production"]],
  ["--workers", ["workers", wholeNumber, "a whole number"]],
  ["--transport", ["transport", nonEmpty, "fast or node"]],
]);

/** Names of all flags, for help and suggestions. */
export const flagNames: readonly string[] = [...valueFlags.keys(), ...switches.keys()];

/**
 * Parses the flags of `run`, as `--flag value` or `--flag=value`. If a flag is repeated, the last one counts.
 *
 * Words after `--` belong to the program. Never throws: every mistake is a problem with code CORE_BAD_FLAG or CORE_UNKNOWN_FLAG, CORE_BAD_SETTING if
 * `argv` is not a list of strings.
 */
export const parseFlags = (argv: readonly string[]): ParsedFlags => {
  if (!isStringList(argv)) return { flags: {}, problems: [badArgv(argv)] };
  const flags: Record<string, string | number | boolean> = {};
  const problems: Problem[] = [];
  const ours = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  for (let index = 0; index < ours.length; index++) {
    const word = ours[index] ?? "";
    const equals = word.indexOf("=");
    const name = equals === -1 ? word : word.slice(0, equals);
    const inline = equals === -1 ? undefined : word.slice(equals + 1);
    const toggle = switches.get(name);
    const option = valueFlags.get(name);
    if (toggle !== undefined) {
      if (inline === undefined) flags[toggle[0]] = toggle[1];
      else problems.push(badFlag(`${name} takes no value`));
    } else if (option !== undefined) {
      const [field, read, wanted] = option;
      const nextWord = ours[index + 1];
      const separate = inline === undefined && nextWord !== undefined && !nextWord.startsWith("--");
      const text = separate ? nextWord : inline;
      if (separate) index++;
      const value = text === undefined ? null : read(text);
      if (value !== null) flags[field] = value;
      else
        problems.push(
          badFlag(`${name} needs ${wanted}${text === undefined ? "" : `, not ${describeValue(text)}`}`),
        );
    } else problems.push(unknownFlag(word, name));
  }
  return { flags: flags as Flags, problems };
};

const badFlag = (message: string): Problem => ({ code: "CORE_BAD_FLAG", message });

const unknownFlag = (word: string, name: string): Problem => {
  const code = "CORE_UNKNOWN_FLAG";
  if (!word.startsWith("-")) {
    return {
      code,
      message: `unexpected argument ${describeValue(word)}; the program's own arguments follow --`,
    };
  }
  const [near] = nearest(name, flagNames, 1);
  return {
    code,
    message: `unknown flag ${describeValue(name)}; ${near === undefined ? "--help lists all flags" : `did you mean ${near}?`}`,
  };
};
