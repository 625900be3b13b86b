import type { Block } from "./extract-blocks.ts";
import type { ProgramRun } from "./run-programs.ts";

/** Returns the problems of a block's run: it failed, or its output differs from its comments. */
export const runProblems = (block: Block, run: ProgramRun | undefined): string[] => {
  const at = `${block.document}:${block.line}`;
  if (run?.status !== 0) return [`${at} ended with ${run?.status ?? "a timeout"}: ${run?.stderr.trim()}`];
  const wanted = printedBy(block.code);
  return flowing(run.stdout) === flowing(wanted)
    ? []
    : [`${at} printed "${run.stdout.trim()}" and says "${wanted}"`];
};

/** Text without line breaks: documents need not break long objects where Node does. */
const flowing = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** Expected output of a block: the comments after its `console.log` calls, in order. */
const printedBy = (code: string): string =>
  Array.from(code.matchAll(/^\s*console\.log\(.*\);?[ \t]*\/\/[ \t]*(.*)$/gm), (match) => match[1])
    .join("\n")
    .trim();
