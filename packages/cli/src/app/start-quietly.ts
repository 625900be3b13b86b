import { printable } from "../frame/text.ts";
import type { AppLike } from "./app-like.ts";

/** Starts an app for one command, in development; its warnings and errors appear on stderr, its other log lines do not. */
export const startQuietly = async (app: AppLike): Promise<void> => {
  await app.start({ env: "development", debug: true, logs: false, quiet: true, log: quietLog });
};

const write = (level: string, message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
  const { error } = fields;
  const words = error instanceof Error && !message.includes(error.message) ? `: ${error.message}` : "";
  process.stderr.write(`${level}: ${printable(message + words)}\n`);
};

const quietLog = {
  info: (): void => {},
  warn: (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    write("warning", message, fields),
  error: (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    write("error", message, fields),
};
