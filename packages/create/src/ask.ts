import { createInterface } from "node:readline/promises";
import { FrameworkError } from "@framework/core";

/**
 * Returns a function that prompts for a line of text. It rejects with CREATE_NO_NAME when the input ends, as after Ctrl-D, because `question` would not
 * settle then.
 */
export const createPrompt =
  (input: NodeJS.ReadableStream, output: NodeJS.WritableStream) =>
  async (question: string): Promise<string> => {
    const terminal = createInterface({ input, output });
    const { promise: closed, reject } = Promise.withResolvers<never>();
    terminal.once("close", () =>
      reject(new FrameworkError("CREATE_NO_NAME", "no name was given, so nothing was written")),
    );
    try {
      return await Promise.race([terminal.question(question), closed]);
    } finally {
      terminal.close();
    }
  };
