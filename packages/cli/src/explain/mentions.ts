import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A passage about a code in a package's documents. */
export interface Mention {
  /** Path within the package. */
  readonly path: string;
  readonly heading: string;
  readonly text: string;
}

/** Finds at most 8 paragraphs and lists about a code in the README and `docs` of a package; code blocks and tables, which repeat the catalogue, are skipped. */
export const mentionsOf = (code: string, folder: string): readonly Mention[] => {
  const paths = ["README.md", ...globSync("docs/*.md", { cwd: folder }).sort()];
  return paths
    .filter((path) => existsSync(join(folder, path)))
    .flatMap((path) => mentionsIn(code, path, readFileSync(join(folder, path), "utf8")))
    .slice(0, MAX_MENTIONS);
};

const MAX_MENTIONS = 8;

/**
 * A fenced code block, which may have blank lines and comments like headings. It ends with a fence without a language that is at least as long as the first
 * one, or with the document.
 */
const CODE_BLOCK =
  /^[ \t]*(?:(?:[-*+]|\d+\.)[ \t]+)?(```+|~~~+)[^`\n]*$[^]*?(?:^[ \t]*\1[`~]*[ \t]*$|$(?![^]))/gm;

const mentionsIn = (code: string, path: string, document: string): readonly Mention[] => {
  const word = new RegExp(`(?<![A-Z_])${code}(?![A-Z_])`);
  let heading = path;
  const prose = document.replaceAll(CODE_BLOCK, "\n");
  return prose.split(/\n{2,}/).flatMap((block) => {
    const [, title] = /^#+ (.+)$/m.exec(block) ?? [];
    if (title !== undefined) heading = title.replaceAll("`", "");
    const isProse = !block.trim().startsWith("|");
    return isProse && word.test(block) ? [{ path, heading, text: block.trim() }] : [];
  });
};
