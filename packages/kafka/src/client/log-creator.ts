import type { Logger } from "@framework/core";
import type { logCreator } from "kafkajs";

/** Messages of errors that kafkajs or this package retries. */
const RETRIABLE =
  /rebalanc|re-join|coordinator|not the leader|leader(ship)? (is|election)|loading|in progress|is not aware|Connection (error|timeout)|ECONN|closed connection|disconnected|timed out|request timed? ?out|Failed to (connect|send)|does not host this topic|Restarting|Crash|Limiting retries/i;

/** Log level of errors in kafkajs. */
const ERROR = 1;

/**
 * Writes the log of kafkajs to the app's log: errors become warnings unless they are retried; everything else is logged at `debug` if the logger has that
 * level. Messaging reports the states of consumers.
 */
export const logCreatorOf = (log: Logger): logCreator => {
  return () =>
    ({ namespace, level, log: { message, timestamp: _time, logger: _name, stack: _stack, ...fields } }) => {
      const details = { namespace, ...fields };
      const isQuiet = level !== ERROR || RETRIABLE.test(message) || RETRIABLE.test(String(fields["error"]));
      if (isQuiet) debug(log, `kafka: ${message}`, details);
      else log.warn(`kafka: ${message}`, details);
    };
};

const debug = (log: Logger, message: string, fields: Readonly<Record<string, unknown>>): void => {
  const write: unknown = Reflect.get(log, "debug");
  if (typeof write === "function") Reflect.apply(write, log, [message, fields]);
};
