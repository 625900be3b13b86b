import {
  checkAddition,
  checkKey,
  checkTtl,
  type Json,
  type SharedValues,
  toText,
} from "@framework/core/feature";
import { FrameworkError, type Logger } from "@framework/core";
import { orUnavailable } from "../redis-errors.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { Bus } from "./bus.ts";
import { addToCounter, wholeMs } from "./counter-script.ts";

/** Options of `redisValues`. */
export interface RedisValuesOptions {
  /** Put before every key and channel, without braces; services with one name share their values. @default "values" */
  readonly name?: string;
  /** Milliseconds after which a process that has not confirmed a message counts as done. @default 1000 */
  readonly timeoutMs?: number;
  /** Logs errors of subscribers. @default console */
  readonly log?: Pick<Logger, "error">;
}

/** Values with a connection for messages, which is opened by the first publication or subscription. */
export interface RedisValues extends SharedValues {
  /** Stops listening; the client stays open. */
  close(): Promise<void>;
}

/**
 * Creates values and messages shared by all hosts with one Redis. Each call is atomic, by the server's clock.
 *
 * @throws CORE_SHARED_STATE_UNAVAILABLE from every call that Redis did not answer; whether it took effect is unknown
 */
export const redisValues = (
  source: RedisSource,
  { name = "values", timeoutMs = 1000, log = console }: RedisValuesOptions = {},
): RedisValues => {
  checkName(name);
  const bus = new Bus({ source, name, timeoutMs, log });
  const valueKey = (key: string): string => `${name}:v:${key}`;
  /** Waits for subscriptions first: once a call is answered, those made before it are in force. */
  const ask = <T>(call: () => Promise<T>): Promise<T> =>
    orUnavailable(async () => {
      if (bus.joining !== null) await bus.joining;
      return call();
    });
  return {
    async add(key, amount, options) {
      checkAddition(key, amount, options);
      const { ttlMs, max = Number.MAX_SAFE_INTEGER } = options;
      const limits = { ttlMs, max: Math.min(max, Number.MAX_SAFE_INTEGER) };
      const added = await ask(() => addToCounter(source.redis, valueKey(key), amount, limits));
      if (added !== null) return added;
      throw new FrameworkError(
        "CORE_SHARED_STATE_NOT_A_COUNTER",
        `"${key}" holds a value that is not a number; counters and values need keys of their own`,
      );
    },
    async get(key) {
      checkKey(key);
      const text = await ask(() => source.redis.get(valueKey(key)));
      return text === null ? undefined : (JSON.parse(text) as Json);
    },
    async set(key, value, { ttlMs, ifAbsent = false }) {
      checkKey(key);
      checkTtl(ttlMs);
      const text = toText(value);
      const life = wholeMs(ttlMs);
      const stored = await ask(() =>
        ifAbsent
          ? source.redis.set(valueKey(key), text, "PX", life, "NX")
          : source.redis.set(valueKey(key), text, "PX", life),
      );
      return stored !== null;
    },
    async delete(key) {
      checkKey(key);
      return (await ask(() => source.redis.del(valueKey(key)))) === 1;
    },
    async publish(channel, message) {
      checkKey(channel, "channel");
      const text = toText(message);
      await ask(() => bus.publish(channel, text));
    },
    subscribe(channel, listener) {
      checkKey(channel, "channel");
      return bus.subscribe(channel, listener);
    },
    close: () => bus.close(),
  };
};
