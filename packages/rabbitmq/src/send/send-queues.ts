import { untilAborted } from "@framework/messaging/adapter";

/** Queued work of one target. */
interface SendQueue {
  /** Resolves when the last queued work has ended. */
  tail: Promise<void>;
  waiting: number;
  /** The first failure; `null` for none. */
  failure: unknown;
}

/** Keeps the order of messages that wait for a channel or exchange: runs work one at a time for each target. */
export class SendQueues {
  private readonly queues = new Map<string, SendQueue>();

  /** Whether no work is queued. */
  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  /** Whether a target has queued work. */
  has(target: string): boolean {
    return this.queues.has(target);
  }

  /** Runs work after all earlier work of its target, or when its signal aborts. After a failure, other than an abort, all queued work of the target fails. */
  async run<T>(target: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(target) ?? { tail: Promise.resolve(), waiting: 0, failure: null };
    this.queues.set(target, queue);
    const { tail: before } = queue;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    queue.tail = before.then(() => promise);
    queue.waiting++;
    try {
      await untilAborted(before, signal).catch(() => {}); // `work` throws the error of the abort
      if (queue.failure !== null && !signal.aborted) throw queue.failure;
      return await work();
    } catch (error) {
      if (!signal.aborted) queue.failure ??= error;
      throw error;
    } finally {
      end();
      if (--queue.waiting === 0) this.queues.delete(target);
    }
  }
}
