import { extractBlocks } from "../readme-blocks/extract-blocks.ts";

/** The shell commands of a document, for a test to run. */
export interface Documented {
  /** Returns the next command that begins with these words, without its comment, and marks it as used. @throws Error if the document has none */
  take(beginning: string): string;
  /** The unused commands. */
  readonly left: readonly string[];
}

/** Reads the commands of `sh` blocks; of a document without such blocks, those of lines indented by four spaces that begin with a program's name. */
export const documentedCommands = (name: string, text: string): Documented => {
  const { blocks } = extractBlocks(name, text);
  const fenced = blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => code.split("\n"));
  const indented = Array.from(text.matchAll(/^ {4}(\w.*)$/gm), ([, line = ""]) => line);
  const left = (fenced.length > 0 ? fenced : indented)
    .map((line) => line.replace(/\s+#\s.*$/, "").trim())
    .filter((line) => line !== "");
  return {
    left,
    take(beginning) {
      const at = left.findIndex((command) => command.startsWith(beginning));
      const [command] = at === -1 ? [] : left.splice(at, 1);
      if (command === undefined)
        throw new Error(`${name} has no command ${beginning}…; it has: ${left.join(" ; ")}`);
      return command;
    },
  };
};
