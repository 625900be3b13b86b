/** The export conditions that a Node command line names, in its order; those in NODE_OPTIONS a child inherits by itself. */
export const conditionsIn = (execArgv: readonly string[]): readonly string[] =>
  execArgv.flatMap((argument, index) => {
    if (argument === "-C" || argument === "--conditions") return execArgv[index + 1] ?? [];
    return /^(?:--conditions=|-C)(?<name>.+)$/.exec(argument)?.groups?.["name"] ?? [];
  });
