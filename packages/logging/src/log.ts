import type { Logger } from "@framework/core";
import { type ReadTrace, textOf } from "@framework/core/feature";
import type { LogLevel } from "./logging-config.ts";
import { escapeInvisible } from "./json-string.ts";
import { createRedaction, type Redaction, withoutCredentials } from "./redaction.ts";

/** Fields of a line. Secrets are recognised by field names, at any depth, and redacted. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes the application's lines to the log stream; never throws. */
export interface Log extends Pick<Logger, "info" | "warn" | "error"> {
  /** Writes a line for debugging. */
  debug(message: string, fields?: LogFields): void;
  /** Writes a line about normal operation. */
  info(message: string, fields?: LogFields): void;
  /** Writes a line about a possible problem. */
  warn(message: string, fields?: LogFields): void;
  /** Writes a line about a failure. */
  error(message: string, fields?: LogFields): void;
  /** Returns a log that adds these fields to every line. */
  child(fields: LogFields): Log;
}

/** Options of a log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Writes one line of JSON, newline included. */
  readonly write: (line: string) => void;
  readonly iso: () => string;
  readonly redaction?: Redaction;
  /** Returns the active trace, whose ids are added to each line. @default no traces */
  readonly trace?: ReadTrace;
}

/** Approximate maximum number of bytes in a record; a longer one keeps only its level, timestamp and message. */
const MAX_RECORD = 16_384;

/** Loads pino and creates a log on it. */
export const createLog = async ({
  level,
  write,
  iso,
  redaction = createRedaction(),
  trace = noTrace,
}: LogOptions): Promise<Log> => {
  const { pino } = await import("pino");
  const instance = pino(
    {
      level,
      base: null,
      messageKey: "message",
      errorKey: "error",
      timestamp: () => `,"timestamp":"${iso()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => error }, // already copied; pino's serializer would write the class of the copy
    },
    { write: (line) => write(limitSize(escapeInvisible(line))) },
  );
  return logOf(instance, { redaction, trace, reservedNames: lineMembers, root: instance, bindings: {} });
};

type MethodLevel = "debug" | "info" | "warn" | "error";

/** The part of pino that this package uses. */
interface PinoLogger extends Record<MethodLevel, (fields: object, message: string) => void> {
  child(bindings: Record<string, unknown>): PinoLogger;
  isLevelEnabled(level: MethodLevel): boolean;
}

const noFields: LogFields = Object.freeze({});

/** Returns the fields as an object: an untyped program may pass any value. */
const fieldsOf = (fields: unknown): LogFields =>
  typeof fields === "object" && fields !== null ? (fields as LogFields) : noFields;

const noTrace: ReadTrace = () => null;

/** State of a log, from which the state of its children is derived. */
interface Scope {
  readonly redaction: Redaction;
  readonly trace: ReadTrace;
  /** Names of members that fields cannot replace. */
  readonly reservedNames: readonly string[];
  /** pino's log without bindings. */
  readonly root: PinoLogger;
  /** The bindings. */
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** Members of every line. */
const lineMembers: readonly string[] = ["level", "timestamp", "message"];
/** Members that identify the request of a line: once a log has them, no field can replace them, since fields may come from a client. */
const identifyingMembers: readonly string[] = ["request_id", "trace_id", "span_id"];

const logOf = (instance: PinoLogger, scope: Scope): Log => {
  const { redaction, reservedNames, root, bindings } = scope;
  const at =
    (level: MethodLevel) =>
    (message: string, fields?: LogFields): void => {
      if (!instance.isLevelEnabled(level)) return;
      const trace = scope.trace();
      const given = fieldsOf(fields);
      const members = ownFields(Error.isError(given) ? { error: given } : given, redaction, reservedNames);
      if (trace !== null) Object.assign(members, { trace_id: trace.traceId, span_id: trace.spanId });
      const text = withoutCredentials(messageText(message, redaction), MAX_MESSAGE);
      // pino would write both members; log collectors use the first or the last, or reject the line
      if (replaces(members, bindings)) root[level]({ ...bindings, ...members }, text);
      else instance[level](members, text);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (given) => {
      const fields = ownFields(fieldsOf(given), redaction, reservedNames);
      const named = identifyingMembers.filter((name) => name in fields);
      const all = { ...bindings, ...fields };
      return logOf(root.child(all), {
        redaction,
        root,
        bindings: all,
        // The log of a request has its own trace, even outside of the request's asynchronous context.
        trace: named.includes("trace_id") ? noTrace : scope.trace,
        reservedNames: named.length === 0 ? reservedNames : [...reservedNames, ...named],
      });
    },
  };
};

const MAX_MESSAGE = 2048;

/** Returns the text of a message, which an untyped program may give as an object, such as `info(fields, message)`: its secrets are redacted, too. */
const messageText = (message: unknown, redaction: Redaction): string => {
  if (typeof message === "string") return message;
  return textOf(typeof message === "object" ? redaction.fields({ message })["message"] : message);
};

const replaces = (members: object, bindings: object): boolean => {
  for (const name in members) if (Object.hasOwn(bindings, name)) return true;
  return false;
};

/** Redacts fields, and removes those with reserved names. */
const ownFields = (
  fields: LogFields,
  redaction: Redaction,
  reservedNames: readonly string[],
): Record<string, unknown> => {
  const copy = { ...redaction.fields(fields) }; // pino calls methods of Object on bindings
  for (const name of reservedNames) delete copy[name];
  return copy;
};

const limitSize = (line: string): string => {
  if (line.length * 3 <= MAX_RECORD || Buffer.byteLength(line) <= MAX_RECORD) return line;
  const { level, timestamp, message } = JSON.parse(line) as Record<string, unknown>;
  const cut = JSON.stringify({ level, timestamp, message, cut: Buffer.byteLength(line) });
  return `${escapeInvisible(cut)}\n`; // the parser has removed the escapes
};

/** Adapts the application's log to the framework's logger, with the field names of records. */
export const frameworkLogger = (log: Log): Logger => ({
  info: (message, fields) => log.info(message, renameFields(fields)),
  warn: (message, fields) => log.warn(message, renameFields(fields)),
  error: (message, fields) => log.error(message, renameFields(fields)),
});

const renameFields = (given?: LogFields): LogFields => {
  const fields = fieldsOf(given);
  if (!("requestId" in fields || "clientIp" in fields)) return fields;
  const { requestId = null, clientIp = null, ...rest } = fields;
  return {
    ...rest,
    ...(requestId !== null && { request_id: requestId }),
    ...(clientIp !== null && { client_ip: clientIp }),
  };
};
