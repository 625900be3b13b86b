import type { Redaction } from "@framework/core/feature";
import { printable } from "../frame/text.ts";
import type { AppLike } from "./app-like.ts";

/**
 * Starts an app in development for one command. Warnings and errors of the framework, and lines of the app's own log, which would otherwise be
 * written to stdout, appear on stderr.
 *
 * @param redact removes text that must not be shown. @default nothing is removed
 */
export const startQuietly = async (app: AppLike, redact: Redaction = (text) => text): Promise<void> => {
  await app.start({ env: "development", debug: true, logs: false, quiet: true, log: quietLog(redact) });
};

type Fields = Readonly<Record<string, unknown>>;

const quietLog = (redact: Redaction) => {
  const write = (level: string, message: string, { error }: Fields = {}): void => {
    const words = error instanceof Error && !message.includes(error.message) ? `: ${error.message}` : "";
    process.stderr.write(`${level}: ${printable(redact(message + words))}\n`);
  };
  return {
    info: (): void => {},
    warn: (message: string, fields?: Fields): void => write("warning", message, fields),
    error: (message: string, fields?: Fields): void => write("error", message, fields),
    collect: (line: string): void => void process.stderr.write(redact(line)),
  };
};
