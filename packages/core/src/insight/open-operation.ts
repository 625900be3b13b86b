import { toError } from "../errors/to-error.ts";
import { textOf } from "../log/value-text.ts";
import type { OperationChannels } from "./operation-channels.ts";
import type { Listeners } from "./operation-listener.ts";
import type { Attributes, AttributeValue, TracedOperation } from "./traced-operation.ts";

/** The fields of an operation that are known at its start. */
export type OperationParts = Pick<
  TracedOperation,
  "kind" | "role" | "name" | "attributes" | "subject" | "parent"
>;

/** The listeners and channels that receive the events of an operation. */
export interface EventReceivers {
  readonly app: object | null;
  readonly channels: OperationChannels;
  /** A snapshot: listeners present at the start stay until the end. */
  readonly listeners: Listeners;
  readonly onListenerError: (error: unknown) => void;
  readonly now: () => number;
}

/** The writable operation; listeners get it as read-only. */
type WritableOperation = { -readonly [Name in keyof TracedOperation]: TracedOperation[Name] } & {
  readonly attributes: Record<string, AttributeValue>;
};

/** A running operation; its construction publishes the start. */
export class OpenOperation {
  private readonly receivers: EventReceivers;
  private readonly operation: WritableOperation;
  /** The state of each listener, by index; `skipped` where its `start` threw. */
  private readonly states: unknown[];
  private readonly inBoundContexts: <T>(work: () => T) => T;

  constructor(parts: OperationParts, receivers: EventReceivers) {
    const { app, channels, listeners, now } = receivers;
    const attributes = { ...parts.attributes };
    this.receivers = receivers;
    this.operation = { ...parts, attributes, app, startedMs: now(), durationMs: null, error: null };
    this.states = listeners.map((listener) => this.attempt(() => listener.start(this.operation), skipped));
    this.inBoundContexts = channels.publishStart(this.operation);
  }

  within<T>(work: () => T): T {
    const { channels, listeners } = this.receivers;
    const run = listeners.reduceRight<() => T>((inner, { store }, index) => {
      const state = this.states[index];
      return store === undefined || state === skipped ? inner : () => store.run(state, inner);
    }, work);
    return this.inBoundContexts(() => channels.within(this.operation, run));
  }

  fail(thrown: unknown): void {
    const { operation } = this;
    const error = toError(thrown);
    operation.error = error;
    operation.attributes["error.type"] = typeOf(error);
    this.emit("error");
  }

  end(attributes?: Attributes): void {
    const { operation } = this;
    if (operation.durationMs !== null) return;
    const { "error.type": errorType } = operation.attributes;
    Object.assign(operation.attributes, attributes);
    if (errorType !== undefined) operation.attributes["error.type"] = errorType; // more specific than a status
    operation.durationMs = this.receivers.now() - operation.startedMs;
    this.emit("end");
  }

  private emit(event: "error" | "end"): void {
    const { channels, listeners } = this.receivers;
    for (const [index, listener] of listeners.entries()) {
      const state = this.states[index];
      if (state !== skipped) this.attempt(() => listener[event]?.(this.operation, state), undefined);
    }
    channels[event].publish(this.operation);
  }

  private attempt(call: () => unknown, otherwise: unknown): unknown {
    try {
      return call();
    } catch (error) {
      this.receivers.onListenerError(error);
      return otherwise;
    }
  }
}

const skipped: unique symbol = Symbol("skipped");

/** Returns a low-cardinality type of an error: its code if that is a word, else its name. */
const typeOf = (error: Error): string => {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : textOf(error.name);
};
