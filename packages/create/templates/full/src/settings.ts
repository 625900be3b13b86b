import {
  type ConfigOf,
  integer,
  list,
  oneOf,
  optional,
  readConfig,
  secret,
  url,
  type Variables,
} from "@framework/config";

/** The variables of the service; `npm run env-example` writes them to `.env.example`. Host and port are core's own: HOST, PORT. */
export const settingsShape = {
  authSecret: secret("AUTH_SECRET", { minLength: 32, meaning: "Signs the tokens of callers." }),
  databaseUrl: url("DATABASE_URL", {
    default: "sqlite://my-service.db",
    schemes: ["sqlite", "postgres", "postgresql"],
    meaning: "Database of the notes.",
  }),
  redisUrl: optional(
    url("REDIS_URL", { schemes: ["redis", "rediss"], meaning: "Redis that shares limits between hosts." }),
  ),
  origins: list("ORIGINS", {
    default: ["http://localhost:3000"],
    items: "origins",
    meaning: "Origins of pages that may call the service.",
  }),
  requestsPerMinute: integer("REQUESTS_PER_MINUTE", {
    default: 600,
    min: 1,
    meaning: "Requests per minute and client.",
  }),
  logLevel: oneOf("LOG_LEVEL", ["debug", "info", "warn", "error"], {
    default: "info",
    meaning: "Minimum log level.",
  }),
};

export type Settings = ConfigOf<typeof settingsShape>;

/** Reads the variables and `.env` files; throws one error with all problems. */
export const readSettings = (env?: Variables): Settings =>
  readConfig(settingsShape, env === undefined ? {} : { env });
