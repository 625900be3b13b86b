/** One fenced block of a document. */
export interface Block {
  /** Path from the root, such as `packages/cache/README.md`. */
  readonly document: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  readonly language: "ts" | "js" | "sh";
  /** Whether the block is executed in addition to being compiled. */
  readonly isRun: boolean;
  /** Name of the file that the block represents, such as `app.ts`: set when the preceding line is this name with a colon. Other blocks of the document can import it. */
  readonly file?: string;
  readonly code: string;
}

/** A fenced block that shows part of a file: its info string has the path after the language. */
export interface Quote {
  readonly document: string;
  readonly line: number;
  /** Path from the root. */
  readonly path: string;
  readonly code: string;
}

/** The blocks and quotes of one document, and the problems of its fences. */
export interface Extracted {
  readonly blocks: readonly Block[];
  readonly quotes: readonly Quote[];
  readonly problems: readonly string[];
}

/** Aliases of languages, which are rejected because their blocks would not be checked. */
const aliases: Readonly<Record<string, string>> = {
  typescript: "ts",
  mts: "ts",
  javascript: "js",
  mjs: "js",
  bash: "sh",
  console: "sh",
  shell: "sh",
  zsh: "sh",
};

/** Line before a block with a file name: only the name, as code. */
const FILE = /^`([\w.-]+\.[jt]s)`:$/;

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*(\S*)[ \t]*(.*)$/;

/** Finds the `ts`, `js` and `sh` blocks of a Markdown text, and the blocks of any language that quote a file; others are ignored. */
export const extractBlocks = (document: string, text: string): Extracted => {
  const blocks: Block[] = [];
  const quotes: Quote[] = [];
  const problems: string[] = [];
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const [, fence, language = "", flags = ""] = FENCE.exec(lines[index] ?? "") ?? [];
    if (fence === undefined) continue;
    const line = index + 1;
    const start = line;
    while (++index < lines.length && !closes(lines[index] ?? "", fence)) {
      // up to the closing fence
    }
    if (index >= lines.length) problems.push(`${document}:${line} the block is never closed`);
    const code = `${lines.slice(start, index).join("\n")}\n`;
    if (flags.includes("/")) {
      quotes.push({ document, line, path: flags.trim(), code });
      continue;
    }
    const same = aliases[language];
    if (same !== undefined) problems.push(`${document}:${line} write ${same} instead of ${language}`);
    if (language !== "ts" && language !== "js" && language !== "sh") continue;
    const isRun = flags === "run";
    if (flags !== "" && !(isRun && language !== "sh")) {
      problems.push(`${document}:${line} "${flags}" is not a flag of a ${language} block`);
    }
    const [, file] = FILE.exec(lines[line - 2] || (lines[line - 3] ?? "")) ?? [];
    blocks.push({ document, line, language, isRun, ...(file !== undefined && { file }), code });
  }
  return { blocks, quotes, problems };
};

const closes = (line: string, fence: string): boolean => {
  const trimmed = line.trim();
  return trimmed.startsWith(fence) && /^(`+|~+)$/.test(trimmed);
};
