/** Words that cannot name a constant or a type in a TypeScript module. */
export const reservedWords: readonly string[] = [
  "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements",
  "import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while",
  "with yield",
].flatMap((words) => words.split(" "));
