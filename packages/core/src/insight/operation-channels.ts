import { hasBuiltin, type NodeBuiltins, nodeBuiltin } from "../runtime/node-builtins.ts";
import type { TracedOperation } from "./traced-operation.ts";

type Channel = Pick<
  ReturnType<NodeBuiltins["node:diagnostics_channel"]["channel"]>,
  "hasSubscribers" | "publish"
>;

/** The diagnostics channels of this process, shared by every copy of this package. External tools subscribe to them by name. */
export interface OperationChannels {
  readonly start: Channel;
  readonly error: Channel;
  readonly end: Channel;
  /** Returns the operation of the current asynchronous context. */
  current(): TracedOperation | null;
  /** Runs work in the asynchronous context of an operation. */
  within<T>(operation: TracedOperation, work: () => T): T;
  /** Publishes a start; returns a function that runs work in the contexts that subscribers bound to the channel. */
  publishStart(operation: TracedOperation): <T>(work: () => T) => T;
}

/** Returns the channels; the first call opens them. */
export const operationChannels = (): OperationChannels =>
  (opened ??= hasChannels() ? openChannels() : noChannels);

let opened: OperationChannels | undefined;

const hasChannels = (): boolean => hasBuiltin("node:diagnostics_channel") && hasBuiltin("node:async_hooks");

const openChannels = (): OperationChannels => {
  const { channel } = nodeBuiltin("node:diagnostics_channel");
  const { AsyncLocalStorage } = nodeBuiltin("node:async_hooks");
  const start = channel("framework.operation.start");
  const current = new AsyncLocalStorage<TracedOperation>();
  // This channel carries the context and is never published on, so that every copy of this package sees the others' operations.
  const carrier = channel("framework.operation.context");
  carrier.bindStore(current);
  return {
    start,
    error: channel("framework.operation.error"),
    end: channel("framework.operation.end"),
    current: () => current.getStore() ?? null,
    within: (operation, work) => carrier.runStores(operation, work),
    publishStart: (operation) =>
      start.hasSubscribers ? start.runStores(operation, () => AsyncLocalStorage.snapshot()) : runDirectly,
  };
};

const runDirectly = <T>(work: () => T): T => work();

const silent: Channel = { hasSubscribers: false, publish: () => {} };

/** The fallback for runtimes without diagnostics channels: the app's own listeners work, operations have no parents. */
export const noChannels: OperationChannels = {
  start: silent,
  error: silent,
  end: silent,
  current: () => null,
  within: (_operation, work) => work(),
  publishStart: () => runDirectly,
};
