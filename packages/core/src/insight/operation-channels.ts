import { hasBuiltin, type NodeBuiltins, nodeBuiltin } from "../runtime/node-builtins.ts";
import type { TracedOperation } from "./traced-operation.ts";

type Channel = Pick<
  ReturnType<NodeBuiltins["node:diagnostics_channel"]["channel"]>,
  "hasSubscribers" | "publish"
>;

/** The channels of this process, the same for every copy of this package: tools outside subscribe to them by name. */
export interface OperationChannels {
  readonly start: Channel;
  readonly error: Channel;
  readonly end: Channel;
  /** The operation that the running code is part of. */
  current(): TracedOperation | null;
  /** Runs work as part of an operation. */
  within<T>(operation: TracedOperation, work: () => T): T;
  /** Publishes a start; gives what runs work in the contexts that subscribers bound to it. */
  publishStart(operation: TracedOperation): <T>(work: () => T) => T;
}

/** The channels, opened once. */
export const operationChannels = (): OperationChannels =>
  (opened ??= hasChannels() ? openChannels() : noChannels);

let opened: OperationChannels | undefined;

const hasChannels = (): boolean => hasBuiltin("node:diagnostics_channel") && hasBuiltin("node:async_hooks");

const openChannels = (): OperationChannels => {
  const { channel } = nodeBuiltin("node:diagnostics_channel");
  const { AsyncLocalStorage } = nodeBuiltin("node:async_hooks");
  const start = channel("framework.operation.start");
  const current = new AsyncLocalStorage<TracedOperation>();
  // A channel that nobody publishes on carries the operation, so that each copy of this package sees those of the others.
  const carrier = channel("framework.operation.context");
  carrier.bindStore(current);
  return {
    start,
    error: channel("framework.operation.error"),
    end: channel("framework.operation.end"),
    current: () => current.getStore() ?? null,
    within: (operation, work) => carrier.runStores(operation, work),
    publishStart: (operation) =>
      start.hasSubscribers ? start.runStores(operation, () => AsyncLocalStorage.snapshot()) : runAtOnce,
  };
};

const runAtOnce = <T>(work: () => T): T => work();

const silent: Channel = { hasSubscribers: false, publish: () => {} };

/** What stands for the channels on a runtime without them: listeners of the app hear of operations, which have no parents. */
export const noChannels: OperationChannels = {
  start: silent,
  error: silent,
  end: silent,
  current: () => null,
  within: (_operation, work) => work(),
  publishStart: () => runAtOnce,
};
