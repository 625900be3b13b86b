import { markHandled, type OperationControl, type Operations } from "@framework/core/feature";
import { RedisUnavailableError, toRedisError } from "../redis-errors.ts";
import type { RedisMetrics } from "./metrics.ts";
import type { IoredisClient } from "./ioredis.ts";

export type Command = Parameters<IoredisClient["sendCommand"]>[0];

/** Options of `wrapSendCommand`. */
export interface SendCommandOptions {
  readonly metrics: RedisMetrics;
  /** Publishes each command. */
  readonly operations: Operations<{ readonly name: string }>;
  /** Maximum number of commands that wait for a connection. */
  readonly maxQueue: number;
  readonly defaultTtlSecs: number | undefined;
  /** Timeout of a command in milliseconds; called for each command. */
  readonly timeoutMs: () => number;
  /** Called when a command must wait for a connection. */
  readonly wake: () => void;
  /** Called with the name of a command that changes the state of its connection, or gets no reply. */
  readonly onTainted: (name: string) => void;
  /** Returns the error of a command that is refused because of its effect on the connection; `null` for any other. */
  readonly refusalOf: (command: Command) => Error | null;
}

/** Commands that ioredis itself sends while it sets up a connection. */
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
const stateful: ReadonlySet<string> = new Set([
  "subscribe",
  "psubscribe",
  "ssubscribe",
  "monitor",
  "select",
  "auth",
  "hello",
  "client",
  "readonly",
  "readwrite",
  "asking",
  "reset",
]);

/** Whether a command changes the state of its connection in a way that `UNWATCH` neither resets nor detects. */
const changesState = ({ name, pipelineIndex }: Command, isCluster: boolean): boolean => {
  const lower = name.toLowerCase(); // ioredis keeps the case of `call`
  if (stateful.has(lower)) return true;
  // `UNWATCH` reaches one node of a cluster. The transactions of pipelines are complete.
  return isCluster && (lower === "watch" || (lower === "multi" && pipelineIndex === undefined));
};

/** Subcommands of `CLIENT` that change the replies to later commands. */
const statefulClient: ReadonlySet<string> = new Set(["reply", "tracking", "caching"]);

/** Whether a command would affect the other users of a shared connection. The transactions of pipelines are complete. */
export const affectsOthers = ({ name, args, pipelineIndex }: Command): boolean => {
  const lower = name.toLowerCase();
  if (lower === "client") return statefulClient.has(String(args[0]).toLowerCase());
  if (lower === "multi") return pipelineIndex === undefined;
  return stateful.has(lower) || lower === "watch" || lower === "quit";
};

/** Not a Redis command: the server refuses it, and its transaction. */
const REFUSED = "framework.refused";

/**
 * Wraps the `sendCommand` of a client: counts every command, starts its timeout immediately, and bounds the queue of commands that wait for a
 * connection.
 *
 * A command that timed out in the queue is never sent; ioredis would send it after the reconnect. The first command of a pipeline or transaction
 * decides whether all of them are accepted or rejected: ioredis writes them as one batch, and would wait for replies to an unsent batch.
 */
export const wrapSendCommand = (client: IoredisClient, options: SendCommandOptions): void => {
  const { metrics, maxQueue, defaultTtlSecs, timeoutMs, wake } = options;
  const send = client.sendCommand.bind(client) as (command: Command, ...rest: unknown[]) => unknown;
  /** Commands with their promises. A new promise marks a resend: ioredis resends a batch to another node with the same commands but new promises. */
  const known = new WeakMap<Command, unknown>();
  const rejected = new WeakSet<object>();
  const decideRejection = (command: Command, batch: object | undefined, isFirst: boolean): boolean => {
    if (batch !== undefined && command.pipelineIndex !== 0) return rejected.has(batch);
    const rejects = isFirst ? client.status !== "ready" && metrics.waiting >= maxQueue : command.isSettled;
    if (rejects && batch !== undefined) rejected.add(batch);
    return rejects;
  };
  const enqueue = (command: Command): void => {
    wake();
    metrics.waiting++;
    const dequeue = (): void => void metrics.waiting--;
    command.promise.then(dequeue, dequeue);
  };
  client.sendCommand = (command: Command, ...rest: unknown[]): unknown => {
    if (client.status === "connect" && setup.has(command.name)) return send(command, ...rest);
    const isFirst = known.get(command) !== command.promise;
    if (isFirst) {
      if (!known.has(command)) metrics.commands++;
      known.set(command, command.promise);
      observe(command, options, client.isCluster);
      const refusal = options.refusalOf(command);
      if (refusal !== null) {
        if (rest[0] === undefined) return (command.reject(refusal), command.promise);
        refuseInBatch(command, refusal);
      }
    }
    if (decideRejection(command, rest[0] as object | undefined, isFirst)) {
      if (isFirst) wake();
      if (!command.isSettled)
        command.reject(new RedisUnavailableError("too many commands are waiting for a connection"));
      return command.promise;
    }
    if (isFirst) {
      if (defaultTtlSecs !== undefined && command.name.toLowerCase() === "set")
        addExpiry(command, defaultTtlSecs);
      if (client.status !== "ready") enqueue(command);
      if (timeoutMs() > 0) command.setTimeout(timeoutMs());
    }
    return send(command, ...rest);
  };
};

/** ioredis waits until every command of a batch is written, so a refused command is written under a name that the server rejects. */
const refuseInBatch = (command: Command, refusal: Error): void => {
  const { reject } = command;
  command.name = REFUSED;
  command.reject = () => reject(refusal);
};

const observe = (
  command: Command,
  { metrics, operations, onTainted }: SendCommandOptions,
  isCluster: boolean,
): void => {
  const { name } = command;
  const reject = command.reject;
  const operation = operations.begin(command);
  if (operation !== null) endWithReply(command, operation);
  if (changesState(command, isCluster)) onTainted(name);
  void markHandled(command.promise); // a program may drop the promise, and so does ioredis after a reconnect
  command.reject = (error) => {
    if (error.message.startsWith("NOSCRIPT")) {
      operation?.end(); // ioredis sends the complete script next
      return reject(error);
    }
    const converted = toRedisError(error);
    operation?.fail(converted);
    operation?.end();
    metrics.failures++;
    if (converted instanceof RedisUnavailableError) onTainted(name);
    reject(converted);
  };
};

const endWithReply = (command: Command, operation: OperationControl): void => {
  const { resolve } = command;
  command.resolve = (result) => {
    operation.end();
    resolve(result);
  };
};

/** Options of `SET` that set the expiry. */
const expiries: ReadonlySet<string> = new Set(["EX", "PX", "EXAT", "PXAT", "KEEPTTL"]);

const addExpiry = ({ args }: Command, ttlSecs: number): void => {
  const hasOwn = args.slice(2).some((arg) => expiries.has(String(arg).toUpperCase()));
  if (!hasOwn) args.push("EX", String(ttlSecs));
};
