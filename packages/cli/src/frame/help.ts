import { type ArgumentSpec, type Command, commonOptions, type OptionSpec } from "./command.ts";
import { table } from "./table.ts";
import { type Line, type Span, styled } from "./text.ts";

/** Returns the help text of one command. */
export const commandHelp = (command: Command): readonly Line[] => [
  [
    "Usage: framework ",
    command.name,
    ...command.arguments.map((each) => ` ${placeholderOf(each)}`),
    " [options]",
  ],
  "",
  command.summary,
  ...(command.description === undefined ? [] : ["", ...command.description]),
  ...section(
    "Arguments",
    command.arguments.map((each) => [`  ${placeholderOf(each)}`, each.summary]),
  ),
  ...section("Options", [...command.options, ...commonOptions].map(optionRow)),
  ...section(
    "Examples",
    command.examples.map((example) => [`  framework ${example}`]),
  ),
  ...section("Exit codes", [
    ["  0", "success"],
    ["  1", command.fails],
    ["  2", "the command line is invalid"],
  ]),
];

/** Returns the list of all commands. */
export const programHelp = (commands: readonly Command[]): readonly Line[] => [
  "Usage: framework <command> [arguments] [options]",
  ...section(
    "Commands",
    commands.map(({ name, summary }) => [styled("bold", `  ${name}`), summary]),
  ),
  "",
  "framework <command> --help explains a command. Every command accepts --json.",
  "Exit codes: 0 success, 1 the check or the command failed, 2 the command line is invalid.",
];

const section = (title: string, rows: readonly (readonly Span[])[]): readonly Line[] =>
  rows.length === 0 ? [] : ["", styled("bold", `${title}:`), ...table([], rows)];

const placeholderOf = ({ name, required }: ArgumentSpec): string =>
  required === true ? `<${name}>` : `[${name}]`;

const optionRow = ({ name, short, summary, value, kind, choices }: OptionSpec): readonly string[] => {
  const valuePlace = kind === "flag" ? "" : ` <${value ?? (kind === "number" ? "number" : "text")}>`;
  const allowed = choices === undefined ? "" : `: ${choices.join(", ")}`;
  const repeated = kind === "texts" ? "; may be repeated" : "";
  return [
    `  ${short === undefined ? "" : `-${short}, `}--${name}${valuePlace}`,
    summary + allowed + repeated,
  ];
};
