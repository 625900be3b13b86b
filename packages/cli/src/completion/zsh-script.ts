import { type ArgumentSpec, type Command, commonOptions, type OptionSpec } from "../frame/command.ts";

/** Returns the completion script of zsh. */
export const zshScript = (commands: readonly Command[]): readonly string[] => [
  "#compdef framework",
  "_framework() {",
  "  local -a commands",
  "  commands=(",
  ...commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(":", "\\:")}`)}`),
  "  )",
  "  if (( CURRENT == 2 )); then _describe command commands; return; fi",
  '  local command="$words[2]"',
  "  shift words; (( CURRENT-- ))",
  '  case "$command" in',
  ...commands.flatMap(({ name, options, arguments: args }) => [
    `    ${name})`,
    `      _arguments ${[...args.map(argument), ...[...options, ...commonOptions].map(option)].join(" ")}`,
    "      ;;",
  ]),
  "  esac",
  "}",
  'if [ "$funcstack[1]" = "_framework" ]; then _framework "$@"; else compdef _framework framework; fi',
];

const argument = ({ name, choices, isFile }: ArgumentSpec, at: number): string =>
  quote(`${at + 1}:${name}:${valuesOf(choices, isFile)}`);

const option = ({ name, summary, kind, choices, isFile, value }: OptionSpec): string => {
  const text = summary.replaceAll(/[[\]:]/g, (character) => `\\${character}`);
  const valueSpec =
    kind === "flag" ? "" : `:${(value ?? name).replaceAll(":", "")}:${valuesOf(choices, isFile)}`;
  return quote(`${kind === "texts" ? "*" : ""}--${name}[${text}]${valueSpec}`);
};

const valuesOf = (choices: readonly string[] | undefined, isFile: boolean | undefined): string =>
  choices === undefined ? (isFile === true ? "_files" : " ") : `(${choices.join(" ")})`;

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
