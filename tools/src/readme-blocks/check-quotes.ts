import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Quote } from "./extract-blocks.ts";

/** Returns the quotes that differ from their file, so that code on a page is code that runs. Layout is ignored, because a formatter may change line breaks. */
export const checkQuotes = (root: string, quotes: readonly Quote[]): string[] =>
  quotes.flatMap(({ document, line, path, code }) => {
    if (!existsSync(join(root, path))) return [`${document}:${line} there is no file ${path}`];
    const file = readFileSync(join(root, path), "utf8");
    return withoutLayout(file).includes(withoutLayout(code))
      ? []
      : [`${document}:${line} ${path} does not have these lines`];
  });

/** Returns code without white space and without the commas that a formatter adds at line breaks. */
const withoutLayout = (code: string): string => code.replaceAll(/\s+/g, "").replaceAll(/,(?=[)\]}])/g, "");
