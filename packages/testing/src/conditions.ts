/** Returns the export conditions in a Node command line, in order. Conditions in NODE_OPTIONS are left out: a child process inherits that variable. */
export const conditionsIn = (execArgv: readonly string[]): readonly string[] =>
  execArgv.flatMap((argument, index) => {
    if (argument === "-C" || argument === "--conditions") return execArgv[index + 1] ?? [];
    return /^(?:--conditions=|-C)(?<name>.+)$/.exec(argument)?.groups?.["name"] ?? [];
  });
