import type { LogLevel } from "@framework/logging";
import { ConfigurationError, type Problem } from "@framework/core";

/** Settings of the service, from the environment. */
export interface BooksSettings {
  /** `DATABASE_URL`: address of the database. @default "sqlite://framework.db" */
  readonly databaseUrl: string;
  /** `REDIS_URL`: Redis that shares limits, cached replies and the feed between hosts; without it only the workers of one host share them. */
  readonly redisUrl: string | null;
  /** `BOOKS_SECRET`: when set, writing needs a token signed with it. */
  readonly secret: string | null;
  /** `BOOKS_PASSWORD`: password of the demo token issuer. */
  readonly password: string | null;
  /** `BOOKS_ORIGINS`: origins of pages that may call the service, separated by commas. @default every origin */
  readonly origins: readonly string[];
  /** `BOOKS_LOG`: minimum log level. @default "info" */
  readonly logLevel: LogLevel;
  /** `BOOKS_DATABASE_SECS`: seconds that a request waits for the database at most; then it gets 503. @default 6 */
  readonly databaseSecs: number;
  /** `BOOKS_RATE`: requests per minute and client. @default 60000 */
  readonly requestsPerMinute: number;
}

/** Reads the settings. @throws ConfigurationError with every mistake */
export const booksSettings = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): BooksSettings => {
  const given = (name: string): string | null => env[name] ?? null;
  const problems: Problem[] = [];
  const requestsPerMinute = Number(env["BOOKS_RATE"] ?? 60_000);
  if (!Number.isInteger(requestsPerMinute) || requestsPerMinute < 1) {
    problems.push({ code: "BOOKS_BAD_RATE", message: "BOOKS_RATE must be a whole number of at least 1" });
  }
  const databaseSecs = Number(env["BOOKS_DATABASE_SECS"] ?? 6);
  if (!(databaseSecs >= 0.1 && databaseSecs <= 600)) {
    problems.push({
      code: "BOOKS_BAD_DATABASE_SECS",
      message: "BOOKS_DATABASE_SECS must be a number from 0.1 to 600",
    });
  }
  const [secret, password] = [given("BOOKS_SECRET"), given("BOOKS_PASSWORD")];
  if ((secret === null) !== (password === null)) {
    problems.push({
      code: "BOOKS_HALF_PROTECTED",
      message: "set both BOOKS_SECRET and BOOKS_PASSWORD, or neither",
    });
  }
  const logLevel = env["BOOKS_LOG"] ?? "info";
  if (!isLevel(logLevel)) {
    problems.push({ code: "BOOKS_BAD_LOG", message: `BOOKS_LOG must be one of ${levels.join(", ")}` });
  }
  if (problems.length > 0 || !isLevel(logLevel)) throw new ConfigurationError(problems);
  return {
    databaseUrl: env["DATABASE_URL"] ?? "sqlite://framework.db",
    databaseSecs,
    redisUrl: given("REDIS_URL"),
    secret,
    password,
    origins: env["BOOKS_ORIGINS"]?.split(",").map((origin) => origin.trim()) ?? ["*"],
    logLevel,
    requestsPerMinute,
  };
};

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const isLevel = (text: string): text is LogLevel => (levels as readonly string[]).includes(text);
