import type { OperationControl, Operations } from "@framework/core/feature";
import { RedisUnavailableError, toRedisError } from "../redis-errors.ts";
import type { RedisMetrics } from "./metrics.ts";
import type { IoredisClient } from "./ioredis.ts";

type Command = Parameters<IoredisClient["sendCommand"]>[0];

/** Options of `gate`. */
export interface GateOptions {
  readonly metrics: RedisMetrics;
  /** Publishes each command. */
  readonly operations: Operations<{ readonly name: string }>;
  /** Maximum commands that wait for a connection. */
  readonly maxQueue: number;
  readonly defaultTtlSecs: number | undefined;
  /** Milliseconds that a command may take; asked for each. */
  readonly timeoutMs: () => number;
  /** Called when a command has to wait for a connection. */
  readonly wake: () => void;
  /** Called with the name of a command that changes its connection, or that was not answered. */
  readonly spoilt: (name: string) => void;
}

/** What ioredis sends by itself while it sets up a connection. */
const setup: ReadonlySet<string> = new Set([
  "hello",
  "auth",
  "client",
  "info",
  "select",
  "readonly",
  "cluster",
]);

/** Commands that change the state of a connection. */
const changing: ReadonlySet<string> = new Set([
  "subscribe",
  "psubscribe",
  "ssubscribe",
  "monitor",
  "select",
  "client",
  "readonly",
  "asking",
  "reset",
]);

/** What ioredis sends by itself, without a look at what becomes of it. */
const unobserved: ReadonlySet<string> = new Set(["subscribe", "psubscribe", "ssubscribe", "select"]);

/**
 * Lets every command of a client through one place: it is counted, has a deadline from its first moment on, and waits with a bounded number of others.
 *
 * A command that was given up while it waited is never sent; ioredis would send it once the connection is back. The commands of a pipeline or
 * transaction share a fate, which the first of them meets: ioredis writes them in one piece, and would wait for answers to a piece that never left.
 */
export const gate = (client: IoredisClient, options: GateOptions): void => {
  const { metrics, maxQueue, defaultTtlSecs, timeoutMs, wake } = options;
  const send = client.sendCommand.bind(client) as (command: Command, ...rest: unknown[]) => unknown;
  /** By its promise: ioredis sends a piece to another node with the same commands and new promises. */
  const known = new WeakMap<Command, unknown>();
  const refused = new WeakSet<object>();
  const isRefused = (command: Command, piece: object | undefined, isFirst: boolean): boolean => {
    if (piece !== undefined && command.pipelineIndex !== 0) return refused.has(piece);
    const refuses = isFirst ? client.status !== "ready" && metrics.waiting >= maxQueue : command.isSettled;
    if (refuses && piece !== undefined) refused.add(piece);
    return refuses;
  };
  const hold = (command: Command): void => {
    wake();
    metrics.waiting++;
    const left = (): void => void metrics.waiting--;
    command.promise.then(left, left);
  };
  client.sendCommand = (command: Command, ...rest: unknown[]): unknown => {
    if (client.status === "connect" && setup.has(command.name)) return send(command, ...rest);
    const isFirst = known.get(command) !== command.promise;
    if (isFirst) {
      if (!known.has(command)) metrics.commands++;
      known.set(command, command.promise);
      observe(command, options);
    }
    if (isRefused(command, rest[0] as object | undefined, isFirst)) {
      if (isFirst) wake();
      if (!command.isSettled)
        command.reject(new RedisUnavailableError("too many commands wait for a connection"));
      return command.promise;
    }
    if (isFirst) {
      if (defaultTtlSecs !== undefined && command.name === "set") addExpiry(command, defaultTtlSecs);
      if (client.status !== "ready") hold(command);
      if (timeoutMs() > 0) command.setTimeout(timeoutMs());
    }
    return send(command, ...rest);
  };
};

const observe = (command: Command, { metrics, operations, spoilt }: GateOptions): void => {
  const { name } = command;
  const reject = command.reject;
  const operation = operations.begin(command);
  if (operation !== null) endWithReply(command, operation);
  if (changing.has(name)) spoilt(name);
  if (unobserved.has(name)) command.promise.catch(() => {}); // after a reconnect nobody else would hear of it
  command.reject = (error) => {
    if (error.message.startsWith("NOSCRIPT")) {
      operation?.end(); // ioredis sends the script itself next
      return reject(error);
    }
    const seen = toRedisError(error);
    operation?.fail(seen);
    operation?.end();
    metrics.failures++;
    if (seen instanceof RedisUnavailableError) spoilt(name);
    reject(seen);
  };
};

const endWithReply = (command: Command, operation: OperationControl): void => {
  const { resolve } = command;
  command.resolve = (result) => {
    operation.end();
    resolve(result);
  };
};

/** Options of `SET` that say when the value expires. */
const expiries: ReadonlySet<string> = new Set(["EX", "PX", "EXAT", "PXAT", "KEEPTTL"]);

const addExpiry = ({ args }: Command, ttlSecs: number): void => {
  const hasOwn = args.slice(2).some((arg) => expiries.has(String(arg).toUpperCase()));
  if (!hasOwn) args.push("EX", String(ttlSecs));
};
