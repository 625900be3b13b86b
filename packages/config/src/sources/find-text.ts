import { resolve } from "node:path";
import type { Problem } from "@framework/core";
import { readFileText } from "./read-file.ts";
import type { Source } from "./sources.ts";

/** The text of a setting, and its source. */
export interface FoundText {
  readonly text: string;
  /** `environment`, `.env`, or `TOKEN_FILE (environment)`. */
  readonly source: string;
  /** The source in messages: `the environment`, `.env, line 3`. */
  readonly location: string;
}

/**
 * Finds the text of a variable: in the first source that sets it or its `_FILE` variable.
 *
 * @returns `undefined` if no source does; `null` if the text cannot be read, with the reason in `problems`
 */
export const findText = (
  name: string,
  sources: readonly Source[],
  problems: Problem[],
): FoundText | null | undefined => {
  const fileName = `${name}_FILE`;
  for (const source of sources) {
    const text = source.get(name);
    const path = source.get(fileName);
    if (text !== undefined && path !== undefined) {
      const message = `${name} and ${fileName} are both set (${source.location(name)}): remove one of them`;
      problems.push({ code: "CONFIG_TWO_SOURCES", message });
      return null;
    }
    if (text !== undefined) return { text, source: source.name, location: source.location(name) };
    if (path !== undefined) return textOfFile(fileName, path, source, problems);
  }
  return undefined;
};

const textOfFile = (name: string, path: string, source: Source, problems: Problem[]): FoundText | null => {
  const read = readFileText(resolve(source.folder, path));
  const text = "text" in read ? read.text.replace(/\r?\n$/, "") : "";
  if (text !== "") return { text, source: `${name} (${source.name})`, location: `the file of ${name}` };
  const problem = "problem" in read ? read.problem : "is empty";
  const message = `the file of ${name} (${source.location(name)}) ${problem}: correct ${path}`;
  problems.push({ code: "CONFIG_BAD_FILE", message });
  return null;
};
