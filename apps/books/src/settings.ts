import type { LogLevel } from "@framework/logging";
import { ConfigurationError, type Problem } from "@framework/core";

/** What may differ between the places where the service runs; all of it comes from the environment. */
export interface BooksSettings {
  /** `DATABASE_URL`: where the books are. @default "sqlite://framework.db" */
  readonly databaseUrl: string;
  /** `REDIS_URL`: where several hosts agree on limits and cached replies; without it the workers of one host do. */
  readonly redisUrl: string | null;
  /** `BOOKS_SECRET`: with it, writing needs a token that is signed with this secret. */
  readonly secret: string | null;
  /** `BOOKS_PASSWORD`: what the demo issuer of tokens asks for. */
  readonly password: string | null;
  /** `BOOKS_ORIGINS`: origins of pages that may call the service, separated by commas. @default every origin */
  readonly origins: readonly string[];
  /** `BOOKS_LOG`: the least important lines that are logged. @default "info" */
  readonly logLevel: LogLevel;
  /** `BOOKS_RATE`: requests a minute and client. @default 60000 */
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
  const [secret, password] = [given("BOOKS_SECRET"), given("BOOKS_PASSWORD")];
  if ((secret === null) !== (password === null)) {
    problems.push({
      code: "BOOKS_HALF_PROTECTED",
      message: "BOOKS_SECRET and BOOKS_PASSWORD go together: set both or neither",
    });
  }
  const logLevel = env["BOOKS_LOG"] ?? "info";
  if (!isLevel(logLevel)) {
    problems.push({ code: "BOOKS_BAD_LOG", message: `BOOKS_LOG must be one of ${levels.join(", ")}` });
  }
  if (problems.length > 0 || !isLevel(logLevel)) throw new ConfigurationError(problems);
  return {
    databaseUrl: env["DATABASE_URL"] ?? "sqlite://framework.db",
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
