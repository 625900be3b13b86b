import { type Command, commonOptions } from "../frame/command.ts";

/** Returns the completion script of bash. */
export const bashScript = (commands: readonly Command[]): readonly string[] => [
  "# completion of framework for bash",
  "_framework() {",
  '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
  "  COMPREPLY=()",
  "  if (( COMP_CWORD == 1 )); then",
  `    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(" ")} --help --version' -- "$current"))`,
  "    return",
  "  fi",
  '  case "${COMP_WORDS[1]}" in',
  ...commands.flatMap(branch),
  "  esac",
  "}",
  "complete -o default -F _framework framework",
];

const branch = ({ name, options, arguments: args }: Command): readonly string[] => {
  const words = [...options, ...commonOptions].map((option) => `--${option.name}`);
  const values = args.flatMap(({ choices }, at) =>
    choices === undefined ? [] : [[at + 2, choices] as const],
  );
  return [
    `    ${name})`,
    ...options.flatMap(({ name: option, choices }) =>
      choices === undefined
        ? []
        : [
            `      if [[ "$previous" == --${option} ]]; then COMPREPLY=($(compgen -W '${choices.join(" ")}' -- "$current")); return; fi`,
          ],
    ),
    `      if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W '${words.join(" ")}' -- "$current"))`,
    ...values.map(
      ([word, choices]) =>
        `      elif (( COMP_CWORD == ${word} )); then COMPREPLY=($(compgen -W '${choices.join(" ")}' -- "$current"))`,
    ),
    "      fi",
    "      ;;",
  ];
};
