import { type ArgumentSpec, type Command, commonOptions, type OptionSpec } from "../frame/command.ts";

/** Returns the completion script of fish. */
export const fishScript = (commands: readonly Command[]): readonly string[] => [
  "# completion of framework for fish",
  "complete -c framework -f",
  ...commands.map(
    ({ name, summary }) => `complete -c framework -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
  ),
  ...commands.flatMap((command) => [
    ...command.arguments.flatMap((each, at) => argument(command, each, at)),
    ...[...command.options, ...commonOptions].map((each) => option(command, each)),
  ]),
];

const within = (name: string): string => `complete -c framework -n '__fish_seen_subcommand_from ${name}'`;

/** The words before the cursor are `framework`, the command and the arguments before this one. */
const atWord = (name: string, count: number): string =>
  `complete -c framework -n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq ${count}'`;

const argument = ({ name }: Command, { choices, isFile }: ArgumentSpec, at: number): readonly string[] => [
  ...(choices === undefined ? [] : [`${atWord(name, at + 2)} -a ${quote(choices.join(" "))}`]),
  ...(isFile === true ? [`${within(name)} -F`] : []),
];

const option = (
  { name }: Command,
  { name: long, short, summary, kind, choices, isFile }: OptionSpec,
): string =>
  [
    within(name),
    `-l ${long}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(kind === "flag" ? [] : ["-r"]),
    ...(isFile === true ? ["-F"] : []),
    ...(choices === undefined ? [] : [`-a ${quote(choices.join(" "))}`]),
    `-d ${quote(summary)}`,
  ].join(" ");

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
