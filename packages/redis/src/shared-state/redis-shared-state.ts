import {
  checkAddition,
  checkKey,
  checkPermits,
  checkTallies,
  checkTtl,
  type Json,
  type SharedState,
  toText,
} from "@framework/core/feature";
import { FrameworkError, type Logger } from "@framework/core";
import { keyHash } from "../client/key-hash.ts";
import { takePermits } from "../permits/permit-script.ts";
import { stateUnavailable } from "../redis-errors.ts";
import { checkName, type RedisSource } from "../redis-source.ts";
import { Bus } from "./bus.ts";
import { addToCounter, wholeMs } from "./counter-script.ts";
import { addTotals, readTotals } from "./tally-script.ts";

/** How a shared state names what it keeps, and how long it waits. */
export interface RedisSharedStateOptions {
  /** Put before every key and channel, without braces; services with one name share one state. @default "shared" */
  readonly name?: string;
  /** Milliseconds after which a process that has not confirmed a message counts as done. @default 1000 */
  readonly timeoutMs?: number;
  /** Where failures of subscribers go. @default console */
  readonly log?: Pick<Logger, "error">;
}

/** A shared state that holds a connection for messages once somebody published or subscribed. */
export interface RedisSharedState extends SharedState {
  /** Stops listening; the client stays open. */
  close(): Promise<void>;
}

/**
 * The state on which all hosts agree that use one Redis: each call is one step of the server, by its clock.
 *
 * What nobody changes expires: values and counters when they say, permits when all are back, totals after 30 days.
 *
 * @throws CORE_SHARED_STATE_UNAVAILABLE from every call that Redis did not answer; whether it took effect is not known
 */
export const redisSharedState = (
  source: RedisSource,
  { name = "shared", timeoutMs = 1000, log = console }: RedisSharedStateOptions = {},
): RedisSharedState => {
  checkName(name);
  const bus = new Bus({ source, name, timeoutMs, log });
  const valueKey = (key: string): string => `${name}:v:${key}`;
  const totalsKey = (key: string): string => `${name}:t:${keyHash(key)}`;
  /** Subscriptions come first: a call that is answered tells that those made before it stand. */
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      if (bus.joining !== null) await bus.joining;
      return await call();
    } catch (error) {
      throw FrameworkError.is(error) && error.code.startsWith("CORE_") ? error : stateUnavailable(error);
    }
  };
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
    async take(key, rule, given) {
      checkPermits(key, rule, given);
      return ask(() => takePermits(source.redis, `${name}:p:`, key, rule, given));
    },
    async tally(key, amounts) {
      checkTallies(key, amounts);
      if (await ask(() => addTotals(source.redis, totalsKey(key), amounts))) return;
      const message = `the totals of "${key}" are full; is it counted by something that clients choose?`;
      throw new FrameworkError("CORE_SHARED_STATE_FULL", message);
    },
    async totals(key) {
      checkKey(key);
      return ask(() => readTotals(source.redis, totalsKey(key)));
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
