// For applications.
export { logging, type Logging } from "./logging.ts";
export { type LogDestination, LoggingConfig, type LogLevel } from "./logging-config.ts";
export type { Log, LogFields } from "./log.ts";
export { logOf } from "./request-log.ts";

// For feature packages.
export { loggingErrors } from "./error-codes.ts";
