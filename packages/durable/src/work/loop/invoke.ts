import type { Awaitable } from "@framework/core";
import type { Operations } from "@framework/core/feature";
import type { KernelHost } from "../../base/kernel-base.ts";
import type { QueueDefinition } from "../queue/queue-options.ts";
import type { WorkItem } from "../queue/work-item.ts";

/** Calls the handler of a queue with an item. */
export type Invoke = (definition: QueueDefinition, item: WorkItem<never>) => Awaitable<unknown>;

/** Operations of the kind `work`: attempts at items. */
export type WorkOperations = Operations<WorkItem<never>>;

/** Returns the function that calls handlers: in an app, each call is an invocation with its own scope, published as an operation, unless the queue is plain. */
export const invokeWith = (host: KernelHost | null): Invoke => {
  if (host === null) return ({ handle }, item) => handle(item, noDependencies);
  const operations: WorkOperations = host.insight.operation({
    kind: "work",
    role: "consumer",
    describe: (item) => ({
      name: item.queue,
      attributes: { "work.queue": item.queue, "work.attempt": item.attempt },
      subject: item,
    }),
  });
  return ({ handle, inject, isPlain }, item) => {
    if (isPlain) return handle(item, noDependencies);
    const call = (): Awaitable<unknown> =>
      host.state.invoke(item.invocation, inject, (dependencies) => handle(item, dependencies as never));
    return operations.isObserved ? operations.run(item, call) : call();
  };
};

const noDependencies = Object.freeze({}) as never;
