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
  /** `BOOKS_LOAN_DAYS`: days for which a book is lent, parts of a day too. @default 14 */
  readonly loanDays: number;
  /** `BOOKS_REBUILD`: number of rebuilds of the lending views; raised by one, they are made again of all events, beside the live ones. @default 0 */
  readonly rebuilds: number;
  /** `BOOKS_WORK`: `off` for a process that only serves requests: others keep the views up to date and remind members. @default "on" */
  readonly runWork: boolean;
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
  const loanDays = Number(env["BOOKS_LOAN_DAYS"] ?? 14);
  if (!(loanDays >= 0 && loanDays <= 3650)) {
    problems.push({
      code: "BOOKS_BAD_LOAN_DAYS",
      message: "BOOKS_LOAN_DAYS must be a number from 0 to 3650",
    });
  }
  const rebuilds = Number(env["BOOKS_REBUILD"] ?? 0);
  if (!Number.isInteger(rebuilds) || rebuilds < 0 || rebuilds > 100_000) {
    problems.push({
      code: "BOOKS_BAD_REBUILD",
      message: "BOOKS_REBUILD must be a whole number from 0 to 100000",
    });
  }
  const work = env["BOOKS_WORK"] ?? "on";
  if (work !== "on" && work !== "off")
    problems.push({ code: "BOOKS_BAD_WORK", message: "BOOKS_WORK must be on or off" });
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
    loanDays,
    rebuilds,
    runWork: work === "on",
    requestsPerMinute,
  };
};

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];
const isLevel = (text: string): text is LogLevel => (levels as readonly string[]).includes(text);
