/** Returns the export conditions of a Node command line, in order; a child inherits NODE_OPTIONS itself. */
export const conditionsIn = (execArgv: readonly string[]): readonly string[] =>
  execArgv.flatMap((argument, index) => {
    if (argument === "-C" || argument === "--conditions") return execArgv[index + 1] ?? [];
    return /^(?:--conditions=|-C)(?<name>.+)$/.exec(argument)?.groups?.["name"] ?? [];
  });
