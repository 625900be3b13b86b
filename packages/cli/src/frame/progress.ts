import { printable } from "./text.ts";
import type { Output } from "./terminal.ts";

/** A progress bar, shown only on a terminal. */
export interface Progress {
  /** Shows the completed share, from 0 to 1, and a short text. */
  show(done: number, text: string): void;
  /** Removes the line. */
  clear(): void;
}

/** Creates the progress bar of an output. */
export const createProgress = (output: Output): Progress => {
  if (!output.isTerminal) return { show: () => {}, clear: () => {} };
  let shown = false;
  return {
    show(done, text) {
      shown = true;
      const width = Math.min(BAR_WIDTH, Math.max(4, output.columns - 40));
      const full = Math.round(Math.min(1, Math.max(0, done)) * width);
      const line = `${"█".repeat(full)}${"░".repeat(width - full)} ${printable(text)}`;
      output.write(
        `${CLEAR_LINE}${Array.from(line)
          .slice(0, output.columns - 1)
          .join("")}`,
      );
    },
    clear() {
      if (shown) output.write(CLEAR_LINE);
      shown = false;
    },
  };
};

const BAR_WIDTH = 24;
const CLEAR_LINE = "\r\u001b[2K";
