import { extractBlocks } from "../readme-blocks/extract-blocks.ts";

/** The shell commands of a document, for a test to run. */
export interface Documented {
  /** Returns the next command that begins with these words, without its comment, and marks it as used. @throws Error if the document has none */
  take(beginning: string): string;
  /** The unused commands. */
  readonly unused: readonly string[];
}

/** Reads the commands of `sh` blocks; for a document without such blocks, the lines indented by four spaces that begin with the name of a program. */
export const documentedCommands = (name: string, text: string): Documented => {
  const { blocks } = extractBlocks(name, text);
  const fenced = blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => code.split("\n"));
  const indented = Array.from(text.matchAll(/^ {4}(\w.*)$/gm), ([, line = ""]) => line);
  const unused = (fenced.length > 0 ? fenced : indented)
    .map((line) => line.replace(/\s+#\s.*$/, "").trim())
    .filter((line) => line !== "");
  return {
    unused,
    take(beginning) {
      const at = unused.findIndex((command) => command.startsWith(beginning));
      const [command] = at === -1 ? [] : unused.splice(at, 1);
      if (command === undefined)
        throw new Error(`${name} has no command ${beginning}…; it has: ${unused.join(" ; ")}`);
      return command;
    },
  };
};
