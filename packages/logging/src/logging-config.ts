import {
  checked,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  list,
  oneOf,
  pathPrefixes,
} from "@framework/core/feature";

/** Minimum level of a line; `silent` writes nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/**
 * Destination of lines: `write` gets one or more whole lines. Accepts any writable stream of Node and the results of `pino.transport` and
 * `pino.destination`. After `write` returned `false`, nothing is written until `drain`, if it has `once`.
 * Errors of a stream do not end the service: once it is destroyed, lines are dropped and counted.
 */
export interface LogDestination {
  /** Writes whole lines. After `false` the log waits for `drain`, if `once` is present. */
  write(lines: string): unknown;
  /** Calls back when more lines can be written. */
  once?(event: "drain", listener: () => void): unknown;
  /** Calls back on each error, and on close. */
  on?(event: "error" | "close", listener: () => void): unknown;
  /** Whether the destination no longer accepts lines. */
  readonly destroyed?: boolean;
  /** Writes buffered lines, before the process ends. */
  flushSync?(): void;
}

/** Options of `enableLogging`. */
export interface LoggingConfig {
  /** `json`, `text` or `auto`: text in development at a terminal, otherwise JSON. @default "auto" */
  readonly format: "auto" | "json" | "text";
  /** Minimum level. Requests with a 5xx reply are `error`, 4xx `warn`, others `info`. @default "info" */
  readonly level: LogLevel;
  /** Paths whose requests are not logged, with all paths below them. @default [] */
  readonly excludePaths: readonly string[];
  /** Header fields in the line: all, or the named ones; secrets are redacted. @default false */
  readonly logHeaders: boolean | readonly string[];
  /** JSON and form bodies of at most `maxLoggedBodyBytes` in the line, redacted. @default false */
  readonly logBody: boolean;
  /** Maximum number of bytes of a body that `logBody` writes; only the size of longer ones is logged. @default 1024 */
  readonly maxLoggedBodyBytes: number;
  /** Additional names of fields, header fields and body members whose values are redacted; each of 1 to 100 characters. @default [] */
  readonly redact: readonly string[];
  /** Destination: an open file descriptor, or an object with `write`. @default 1, standard output */
  readonly destination: number | LogDestination;
  /** Maximum number of bytes that wait for a slow destination; lines that do not fit are dropped and counted. @default 1048576 */
  readonly maxQueueBytes: number;
}

const levels = ["debug", "info", "warn", "error", "silent"] as const;

const isName = (value: unknown): boolean => typeof value === "string" && /^[\w.-]{1,100}$/.test(value);

/** Validates the options of `enableLogging` and fills in their defaults. */
export const LoggingConfig: ConfigRecord<LoggingConfig> = configRecord<LoggingConfig>("LoggingConfig", {
  format: oneOf("auto", ["auto", "json", "text"]),
  level: oneOf("info", levels),
  excludePaths: pathPrefixes,
  logHeaders: checked<boolean | readonly string[]>(
    false,
    "true, false or a list of header field names",
    (value) => typeof value === "boolean" || (Array.isArray(value) && value.every(isName)),
  ),
  logBody: flag(false),
  maxLoggedBodyBytes: integer(1024, { min: 1, max: 8192 }),
  redact: list([], "names of 1 to 100 letters, digits, dots, dashes and underscores", isName),
  destination: checked<number | LogDestination>(
    1,
    "an open file descriptor, or an object with a write method",
    (value) =>
      (Number.isSafeInteger(value) && (value as number) >= 0) ||
      (typeof value === "object" &&
        value !== null &&
        typeof (value as Partial<LogDestination>).write === "function"),
  ),
  maxQueueBytes: integer(1_048_576, { min: 65_536, max: 1_073_741_824 }),
});
