import {
  checked,
  type ConfigRecord,
  configRecord,
  flag,
  integer,
  list,
  oneOf,
} from "@framework/core/feature";

/** How much a line must matter to be written; `silent` writes nothing. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/**
 * What takes lines: `write` gets one or more whole lines. What `pino.transport` and `pino.destination` give fits, and so does any stream of Node; after
 * `write` returned `false` nothing is written until `drain`.
 */
export interface LogDestination {
  write(lines: string): unknown;
  once?(event: "drain", listener: () => void): unknown;
  flushSync?(): void;
}

/** What `enableLogging` may be told. */
export interface LoggingConfig {
  /** `json` for collectors, `text` for people; `auto` is text in development at a terminal, else JSON. @default "auto" */
  readonly format: "auto" | "json" | "text";
  /** Lines below are not written: requests answered with 5xx are `error`, 4xx `warn`, others `info`. @default "info" */
  readonly level: LogLevel;
  /** Paths whose requests have no line: exactly these, and what is below them. @default [] */
  readonly excludePaths: readonly string[];
  /** Header fields on the line: all, or those named; secrets stay redacted. @default false */
  readonly logHeaders: boolean | readonly string[];
  /** JSON and form bodies on the line, redacted, where they are no longer than `maxLoggedBodyBytes`. @default false */
  readonly logBody: boolean;
  /** Bytes of a body that `logBody` writes; longer ones are only measured. @default 1024 */
  readonly maxLoggedBodyBytes: number;
  /** Names of fields, header fields and body members whose values are never written, besides those that always are. @default [] */
  readonly redact: readonly string[];
  /** Where lines go: an open file by its number, or an object that takes lines. @default 1, standard output */
  readonly destination: number | LogDestination;
  /** Bytes that may wait for a slow destination; lines beyond are dropped and counted. @default 1048576 */
  readonly maxQueueBytes: number;
}

const levels = ["debug", "info", "warn", "error", "silent"] as const;

const isName = (value: unknown): boolean => typeof value === "string" && /^[\w.-]{1,100}$/.test(value);

export const LoggingConfig: ConfigRecord<LoggingConfig> = configRecord<LoggingConfig>("LoggingConfig", {
  format: oneOf("auto", ["auto", "json", "text"]),
  level: oneOf("info", levels),
  excludePaths: list(
    [],
    'paths that begin with "/"',
    (path) => typeof path === "string" && path.startsWith("/"),
  ),
  logHeaders: checked<boolean | readonly string[]>(
    false,
    "true, false or a list of header field names",
    (value) => typeof value === "boolean" || (Array.isArray(value) && value.every(isName)),
  ),
  logBody: flag(false),
  maxLoggedBodyBytes: integer(1024, { min: 1, max: 8192 }),
  redact: list([], "names: letters, digits, dots, dashes and underscores", isName),
  destination: checked<number | LogDestination>(
    1,
    "the number of an open file, or an object with a write method",
    (value) =>
      (Number.isSafeInteger(value) && (value as number) >= 0) ||
      (typeof value === "object" &&
        value !== null &&
        typeof (value as Partial<LogDestination>).write === "function"),
  ),
  maxQueueBytes: integer(1_048_576, { min: 65_536, max: 1_073_741_824 }),
});
