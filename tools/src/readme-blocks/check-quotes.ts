import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Quote } from "./extract-blocks.ts";

/** Returns the quotes that are not in their file, so that code on a page is the code that runs. Layout does not count: a formatter may change line breaks. */
export const checkQuotes = (root: string, quotes: readonly Quote[]): string[] =>
  quotes.flatMap(({ document, line, path, code }) => {
    if (!existsSync(join(root, path))) return [`${document}:${line} there is no file ${path}`];
    const file = readFileSync(join(root, path), "utf8");
    return flowing(file).includes(flowing(code))
      ? []
      : [`${document}:${line} ${path} does not have these lines`];
  });

/** Code without white space and the commas that a formatter adds where it breaks a list. */
const flowing = (code: string): string => code.replaceAll(/\s+/g, "").replaceAll(/,(?=[)\]}])/g, "");
