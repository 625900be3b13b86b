import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Maximum characters; the oldest lines are dropped. */
const MAX_CHARACTERS = 1024 * 1024;

/** Output of a program: lines of both streams, in order of arrival. */
export interface ProgramOutput {
  /** Whole lines, the last megabyte of them. */
  text(): string;
  /** The end of the output, for a message. */
  tail(): string;
}

/** Collects the lines of streams, and passes each to a listener. */
export const collectOutput = (
  streams: readonly (Readable | null)[],
  onLine: (line: string) => void,
): ProgramOutput => {
  const lines: string[] = [];
  let characters = 0;
  for (const input of streams.filter((stream) => stream !== null)) {
    createInterface({ input, crlfDelay: Infinity }).on("line", (line) => {
      const end = line.slice(-MAX_CHARACTERS);
      lines.push(end);
      characters += end.length + 1;
      while (characters > MAX_CHARACTERS && lines.length > 1) characters -= (lines.shift()?.length ?? 0) + 1;
      onLine(line);
    });
  }
  const text = (): string => lines.map((line) => `${line}\n`).join("");
  return {
    text,
    tail: () => {
      const all = text();
      return all === "" ? "it printed nothing" : `it has printed:\n${all.slice(-4000)}`;
    },
  };
};
