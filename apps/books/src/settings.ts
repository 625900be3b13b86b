import {
  type ConfigOf,
  decimal,
  integer,
  list,
  oneOf,
  optional,
  readConfig,
  secret,
  text,
  url,
  type Variables,
} from "@framework/config";

/** The variables of the service. `.env.example` is generated from them, and a test compares the two. */
export const settingsShape = {
  databaseUrl: url("DATABASE_URL", {
    default: "sqlite://framework.db",
    schemes: ["sqlite", "postgres", "postgresql"],
    meaning: "Database of the books.",
  }),
  databaseSecs: decimal("BOOKS_DATABASE_SECS", {
    default: 6,
    min: 0.2, // a third of it is the reset time of circuits, which is at least 0.05
    max: 600,
    meaning: "Maximum time that a request waits for the database, in seconds; then it gets 503.",
  }),
  redisUrl: optional(
    url("REDIS_URL", {
      meaning: "Redis that shares limits, cached replies and the feed between hosts, not only workers.",
    }),
  ),
  kafkaBrokers: optional(
    text("KAFKA_BROKERS", { meaning: "Servers of Kafka for messages: host:port, separated by commas." }),
  ),
  amqpUrl: optional(
    url("AMQP_URL", { schemes: ["amqp", "amqps"], meaning: "Address of RabbitMQ for messages." }),
  ),
  sqsRegion: optional(
    text("SQS_REGION", {
      meaning: "Region of Amazon SQS for messages, with the credentials that the AWS SDK finds.",
    }),
  ),
  sqsEndpoint: optional(
    url("SQS_ENDPOINT", { meaning: "Address of an emulator of SQS; only with SQS_REGION." }),
  ),
  collectorUrl: optional(
    url("OTEL_EXPORTER_OTLP_ENDPOINT", {
      schemes: ["http", "https"],
      meaning: "OpenTelemetry collector for traces and metrics; the other OTEL_* variables also apply.",
    }),
  ),
  serviceName: text("OTEL_SERVICE_NAME", {
    default: "books",
    meaning: "Name of the service in traces and metrics.",
  }),
  grpcAddress: optional(
    text("BOOKS_GRPC", {
      meaning: "Address of the gRPC server, such as 0.0.0.0:50051; without it there is none.",
    }),
  ),
  secret: optional(
    secret("BOOKS_SECRET", {
      meaning: "Key that signs tokens and CSRF tokens. Writing then needs a login. Requires BOOKS_PASSWORD.",
    }),
  ),
  password: optional(
    secret("BOOKS_PASSWORD", { meaning: "Password of the demonstration login. Requires BOOKS_SECRET." }),
  ),
  origins: list("BOOKS_ORIGINS", {
    default: ["*"],
    items: "origins",
    meaning: "Origins of pages that may call the service.",
  }),
  logLevel: oneOf("BOOKS_LOG", ["debug", "info", "warn", "error", "silent"], {
    default: "info",
    meaning: "Minimum log level.",
  }),
  loanDays: decimal("BOOKS_LOAN_DAYS", {
    default: 14,
    min: 0,
    max: 3650,
    meaning: "Days for which a book is on loan; may be a fraction.",
  }),
  rebuilds: integer("BOOKS_REBUILD", {
    default: 0,
    min: 0,
    max: 100_000,
    meaning:
      "Number of rebuilds of the lending views; raise it by one to rebuild them from all events, while the live ones stay in use.",
  }),
  rebuiltGoLive: oneOf("BOOKS_GO_LIVE", ["alone", "by-hand"], {
    default: "alone",
    meaning:
      "alone: rebuilt views become live automatically; by-hand: an operator makes them live, with framework projections or on the dev page.",
  }),
  work: oneOf("BOOKS_WORK", ["on", "off"], {
    default: "on",
    meaning:
      "off for a process that only serves requests; other processes then update views and the word index, remind members, and run orders.",
  }),
  sagaRunner: oneOf("BOOKS_SAGAS", ["local", "dbos"], {
    default: "local",
    meaning: "Runs orders on the database of the books, or on DBOS there, which needs PostgreSQL.",
  }),
  dbosSchema: text("BOOKS_DBOS_SCHEMA", { default: "dbos", meaning: "Schema of DBOS's tables." }),
  paymentsUrl: optional(
    url("BOOKS_PAYMENTS", {
      schemes: ["http", "https"],
      meaning: "Address of the payment service; without it a built-in demonstration is used.",
    }),
  ),
  paymentDelayMs: integer("BOOKS_PAYMENT_DELAY_MS", {
    default: 1000,
    min: 1,
    max: 60_000,
    meaning: "Delay before a payment is retried, in milliseconds, doubled each time.",
  }),
  shipSecs: decimal("BOOKS_SHIP_SECS", {
    default: 259_200,
    min: 0.001,
    max: 31_536_000,
    meaning: "Seconds that the warehouse has to ship an order before it is cancelled.",
  }),
  devtools: oneOf("BOOKS_DEVTOOLS", ["on", "off"], {
    default: "on",
    meaning: "off disables the dev page in development; in production there is none.",
  }),
  devtoolsPort: integer("BOOKS_DEVTOOLS_PORT", {
    default: 0,
    min: 0,
    max: 65_535,
    meaning: "Port of the dev page on 127.0.0.1; 0 lets the system choose.",
  }),
  requestsPerMinute: integer("BOOKS_RATE", {
    default: 60_000,
    min: 1,
    max: 1_000_000_000,
    meaning: "Requests per minute and client.",
  }),
};

/** Settings of the service, from the environment. */
export type BooksSettings = ConfigOf<typeof settingsShape>;

/** Reads the settings from `env`, or from the environment and `.env` files. @throws ConfigurationError listing every mistake */
export const booksSettings = (env?: Variables): BooksSettings =>
  readConfig(settingsShape, { ...(env && { env }), checks });

const checks: readonly ((settings: BooksSettings) => string | null)[] = [
  ({ secret, password }) =>
    (secret === undefined) === (password === undefined)
      ? null
      : "set both BOOKS_SECRET and BOOKS_PASSWORD, or neither",
  ({ kafkaBrokers, amqpUrl, sqsRegion }) =>
    [kafkaBrokers, amqpUrl, sqsRegion].filter((each) => each !== undefined).length > 1
      ? "set one of KAFKA_BROKERS, AMQP_URL and SQS_REGION"
      : null,
  ({ sqsEndpoint, sqsRegion }) =>
    sqsEndpoint !== undefined && sqsRegion === undefined
      ? "SQS_ENDPOINT is the address of SQS in a region: also set SQS_REGION"
      : null,
  ({ sagaRunner, databaseUrl }) =>
    sagaRunner === "dbos" && !/^postgres(ql)?:/.test(databaseUrl)
      ? "BOOKS_SAGAS=dbos needs PostgreSQL: set DATABASE_URL to postgres://…"
      : null,
];
