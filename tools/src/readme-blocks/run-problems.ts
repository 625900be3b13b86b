import type { Block } from "./extract-blocks.ts";
import type { ProgramRun } from "./run-programs.ts";

/** Returns the problems of the run of a block: a failure, or output that differs from its comments. */
export const runProblems = (block: Block, run: ProgramRun | undefined): string[] => {
  const at = `${block.document}:${block.line}`;
  if (run?.status !== 0) return [`${at} ended with ${run?.status ?? "a timeout"}: ${run?.stderr.trim()}`];
  const expected = expectedOutput(block.code);
  return onOneLine(run.stdout) === onOneLine(expected)
    ? []
    : [`${at} printed "${run.stdout.trim()}" instead of "${expected}"`];
};

/** Replaces line breaks and runs of spaces with one space: Node breaks long objects at other places than the documents do. */
const onOneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** Returns the expected output of a block: the comments after its `console.log` calls, in order. */
const expectedOutput = (code: string): string =>
  Array.from(code.matchAll(/^\s*console\.log\(.*\);?[ \t]*\/\/[ \t]*(.*)$/gm), (match) => match[1])
    .join("\n")
    .trim();
