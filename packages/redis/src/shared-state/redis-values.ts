import { randomUUID } from "node:crypto";
import {
  checkAddition,
  checkKey,
  checkPublication,
  checkRaise,
  checkTtl,
  type Json,
  type SharedValues,
  systemClock,
  toText,
  withTimeout,
} from "@framework/core/feature";
import { FrameworkError, type Logger } from "@framework/core";
import { orUnavailable } from "../redis-errors.ts";
import { evictionWarning } from "../eviction-warning.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { Bus } from "./bus.ts";
import { redisBusLink } from "./redis-bus-link.ts";
import { addToCounter, wholeMs } from "./counter-script.ts";
import { raiseValue } from "./raise-script.ts";

/** Options of `redisValues`. */
export interface RedisValuesOptions {
  /** Prefix of every key and channel, without braces. Services with the same name share their values. @default "values" */
  readonly name?: string;
  /** Milliseconds after which a busy subscriber counts as done; also the timeout of the connection for messages. @default 1000 */
  readonly timeoutMs?: number;
  /** Timeout of the first wait for the connection for messages, in milliseconds. @default 5000 */
  readonly connectionTimeoutMs?: number;
  /** Logs errors of subscribers, and `REDIS_EVICTS_KEYS`. @default console */
  readonly log?: Pick<Logger, "error" | "warn">;
}

/** Shared values with a connection for messages, opened by the first publication or subscription. */
export interface RedisValues extends SharedValues {
  /** Unsubscribes; the client stays open. */
  close(): Promise<void>;
}

/**
 * Creates values and messages shared by all hosts with one Redis. Each call is atomic, by the server's clock.
 *
 * @throws REDIS_BAD_NAME; each call: CORE_SHARED_STATE_UNAVAILABLE if Redis does not reply; the outcome of the call is unknown. `add` and
 * `raise`: CORE_SHARED_STATE_NOT_A_COUNTER
 */
export const redisValues = (
  source: RedisSource,
  {
    name = "values",
    timeoutMs = 1000,
    connectionTimeoutMs: joinMs = 5000,
    log = console,
  }: RedisValuesOptions = {},
): RedisValues => {
  checkName(name);
  const id = randomUUID();
  const link = redisBusLink({ source, name, id, timeoutMs });
  const bus = new Bus({ id, link, subscriberMs: timeoutMs, joinMs, clock: systemClock, log });
  const warnOfEviction = evictionWarning(source, log);
  const valueKey = (key: string): string => `${name}:v:${key}`;
  /** Waits for pending subscriptions first: after a reply, all earlier subscriptions are active. */
  const run = <T>(call: () => Promise<T>): Promise<T> =>
    orUnavailable(async () => {
      if (bus.joining !== null) await bus.joining;
      return call();
    });
  return {
    isPersistent: true,
    async add(key, amount, options) {
      checkAddition(key, amount, options);
      const { ttlMs, max = Number.MAX_SAFE_INTEGER } = options;
      const limits = { ttlMs, max: Math.min(max, Number.MAX_SAFE_INTEGER) };
      const added = await run(() => addToCounter(source.redis, valueKey(key), amount, limits));
      if (added !== null) return added;
      throw notACounter(key);
    },
    async raise(key, value, options) {
      checkRaise(key, value, options);
      const raised = await run(() => raiseValue(source.redis, valueKey(key), value, options.ttlMs));
      if (raised === null) throw notACounter(key);
      warnOfEviction();
      return raised;
    },
    async get(key) {
      checkKey(key);
      const text = await run(() => source.redis.get(valueKey(key)));
      return text === null ? undefined : (JSON.parse(text) as Json);
    },
    async set(key, value, { ttlMs, ifAbsent = false }) {
      checkKey(key);
      checkTtl(ttlMs);
      const text = toText(value);
      const life = wholeMs(ttlMs);
      const stored = await run(() =>
        ifAbsent
          ? source.redis.set(valueKey(key), text, "PX", life, "NX")
          : source.redis.set(valueKey(key), text, "PX", life),
      );
      return stored !== null;
    },
    async delete(key) {
      checkKey(key);
      return (await run(() => source.redis.del(valueKey(key)))) === 1;
    },
    async publish(channel, message, options = {}) {
      checkPublication(channel, options);
      const text = toText(message);
      return withTimeout(
        run(() => bus.publish(channel, text)),
        options.waitMs,
        systemClock,
        () => false,
      );
    },
    subscribe(channel, listener, options) {
      checkKey(channel, "channel");
      return bus.subscribe(channel, listener, options);
    },
    isConnected: () => bus.isConnected,
    close: () => bus.close(),
  };
};

const notACounter = (key: string): FrameworkError =>
  new FrameworkError(
    "CORE_SHARED_STATE_NOT_A_COUNTER",
    `"${key}" has a value that is not a number; use separate keys for counters and values`,
  );
