import type { Block } from "./extract-blocks.ts";
import type { ProgramRun } from "./run-programs.ts";

/** Returns the problems of the run of a block: a failure, or output that differs from its comments. */
export const runProblems = (block: Block, run: ProgramRun | undefined): string[] => {
  const at = `${block.document}:${block.line}`;
  if (run?.status !== 0) return [`${at} ended with ${run?.status ?? "a timeout"}: ${run?.stderr.trim()}`];
  const expected = printedBy(block.code);
  return onOneLine(run.stdout) === onOneLine(expected)
    ? []
    : [`${at} printed "${run.stdout.trim()}" instead of "${expected}"`];
};

/** Returns text without line breaks, because Node breaks long objects at other places than documents. */
const onOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** Returns the expected output of a block: the comments after its `console.log` calls, in order. */
const printedBy = (code: string): string =>
  Array.from(code.matchAll(/^\s*console\.log\(.*\);?[ \t]*\/\/[ \t]*(.*)$/gm), (match) => match[1])
    .join("\n")
    .trim();
