import type { LogLevel } from "@framework/logging";
import { ConfigurationError, type Problem } from "@framework/core";

/** Settings of the service, from the environment. */
export interface BooksSettings {
  /** `DATABASE_URL`: address of the database. @default "sqlite://framework.db" */
  readonly databaseUrl: string;
  /** `REDIS_URL`: Redis that shares limits, cached replies and the feed between hosts; without it only the workers of one host share them. */
  readonly redisUrl: string | null;
  /** `KAFKA_BROKERS`: servers of Kafka, separated by commas, for messages; without a broker they are in the database. */
  readonly kafkaBrokers: string | null;
  /** `AMQP_URL`: address of RabbitMQ for messages. */
  readonly amqpUrl: string | null;
  /** `SQS_REGION`: region of Amazon SQS for messages, with the credentials that the AWS SDK finds. */
  readonly sqsRegion: string | null;
  /** `SQS_ENDPOINT`: address of an emulator of SQS; only with `SQS_REGION`. */
  readonly sqsEndpoint: string | null;
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`: OpenTelemetry collector that gets traces and metrics; the other `OTEL_*` variables apply too. */
  readonly collectorUrl: string | null;
  /** `OTEL_SERVICE_NAME`: name of the service in traces and metrics. @default "books" */
  readonly serviceName: string;
  /** `BOOKS_GRPC`: address of the lending ledger's gRPC port, such as `0.0.0.0:50051`; without it there is none. */
  readonly grpcAddress: string | null;
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
  /** `BOOKS_SAGAS`: runs orders on the database of the books (`local`), or on DBOS (`dbos`) there, which needs PostgreSQL. @default "local" */
  readonly sagaRunner: "local" | "dbos";
  /** `BOOKS_DBOS_SCHEMA`: schema of DBOS's tables. @default "dbos" */
  readonly dbosSchema: string;
  /** `BOOKS_PAYMENTS`: address of the payment service; without it the service has one of its own, for demonstration. */
  readonly paymentsUrl: string | null;
  /** `BOOKS_PAYMENT_DELAY_MS`: pause before another attempt at a payment, doubled each time. @default 1000 */
  readonly paymentDelayMs: number;
  /** `BOOKS_SHIP_SECS`: how long the warehouse may take to send an order before it is undone, parts of a second too. @default 259200 */
  readonly shipSecs: number;
  /** `BOOKS_RATE`: requests per minute and client. @default 60000 */
  readonly requestsPerMinute: number;
}

/** Reads the settings. @throws ConfigurationError with every mistake */
export const booksSettings = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): BooksSettings => {
  const problems: Problem[] = [];
  const { text, number, choice } = readers(env, problems);
  const settings: BooksSettings = {
    databaseUrl: text("DATABASE_URL") ?? "sqlite://framework.db",
    databaseSecs: number("BOOKS_DATABASE_SECS", 6, { from: 0.1, to: 600 }),
    redisUrl: text("REDIS_URL"),
    kafkaBrokers: text("KAFKA_BROKERS"),
    amqpUrl: text("AMQP_URL"),
    sqsRegion: text("SQS_REGION"),
    sqsEndpoint: text("SQS_ENDPOINT"),
    collectorUrl: text("OTEL_EXPORTER_OTLP_ENDPOINT"),
    serviceName: text("OTEL_SERVICE_NAME") ?? "books",
    grpcAddress: text("BOOKS_GRPC"),
    secret: text("BOOKS_SECRET"),
    password: text("BOOKS_PASSWORD"),
    origins: text("BOOKS_ORIGINS")
      ?.split(",")
      .map((origin) => origin.trim()) ?? ["*"],
    logLevel: choice("BOOKS_LOG", "info", levels),
    loanDays: number("BOOKS_LOAN_DAYS", 14, { from: 0, to: 3650 }),
    rebuilds: number("BOOKS_REBUILD", 0, { from: 0, to: 100_000, isWhole: true }),
    runWork: choice("BOOKS_WORK", "on", ["on", "off"]) === "on",
    sagaRunner: choice("BOOKS_SAGAS", "local", ["local", "dbos"]),
    dbosSchema: text("BOOKS_DBOS_SCHEMA") ?? "dbos",
    paymentsUrl: text("BOOKS_PAYMENTS"),
    paymentDelayMs: number("BOOKS_PAYMENT_DELAY_MS", 1000, { from: 1, to: 60_000, isWhole: true }),
    shipSecs: number("BOOKS_SHIP_SECS", 259_200, { from: 0.001, to: 31_536_000 }),
    requestsPerMinute: number("BOOKS_RATE", 60_000, { from: 1, to: 1_000_000_000, isWhole: true }),
  };
  if ((settings.secret === null) !== (settings.password === null))
    problems.push({
      code: "BOOKS_HALF_PROTECTED",
      message: "set both BOOKS_SECRET and BOOKS_PASSWORD, or neither",
    });
  if (
    [settings.kafkaBrokers, settings.amqpUrl, settings.sqsRegion].filter((each) => each !== null).length > 1
  )
    problems.push({
      code: "BOOKS_TWO_BROKERS",
      message: "set one of KAFKA_BROKERS, AMQP_URL and SQS_REGION",
    });
  if (settings.sqsEndpoint !== null && settings.sqsRegion === null)
    problems.push({
      code: "BOOKS_NO_REGION",
      message: "SQS_ENDPOINT is the address of SQS in a region: set SQS_REGION too",
    });
  if (settings.sagaRunner === "dbos" && !/^postgres(ql)?:/.test(settings.databaseUrl))
    problems.push({
      code: "BOOKS_DBOS_DATABASE",
      message: "BOOKS_SAGAS=dbos needs PostgreSQL: set DATABASE_URL to postgres://…",
    });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return settings;
};

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly isWhole?: boolean;
}

/** Functions that read one variable each, and add its mistake to `problems`. */
const readers = (env: Readonly<Record<string, string | undefined>>, problems: Problem[]) => {
  const refuse = (name: string, rule: string): void =>
    void problems.push({ code: name.replace("BOOKS_", "BOOKS_BAD_"), message: `${name} must be ${rule}` });
  return {
    text: (name: string): string | null => env[name] ?? null,
    number(name: string, initial: number, { from, to, isWhole = false }: NumberRange): number {
      const given = env[name] ?? String(initial);
      const value = given.trim() === "" ? NaN : Number(given); // Number("") is 0
      if (value >= from && value <= to && (!isWhole || Number.isInteger(value))) return value;
      refuse(name, `a ${isWhole ? "whole " : ""}number from ${from} to ${to}`);
      return initial;
    },
    choice<T extends string>(name: string, initial: NoInfer<T>, choices: readonly T[]): T {
      const chosen = choices.find((each) => each === (env[name] ?? initial));
      if (chosen === undefined) refuse(name, `one of ${choices.join(", ")}`);
      return chosen ?? initial;
    },
  };
};
