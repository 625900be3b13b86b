import { untilAborted } from "@framework/messaging/adapter";

/** Queued work of one target. */
interface Line {
  /** Resolves when the last queued work has ended. */
  tail: Promise<void>;
  waiting: number;
  /** The first failure; `null` for none. */
  failure: unknown;
}

/** Keeps the order of messages that wait for a channel or exchange: runs work one at a time for each target. */
export class TargetLines {
  private readonly lines = new Map<string, Line>();

  /** Whether no work is queued. */
  get isEmpty(): boolean {
    return this.lines.size === 0;
  }

  /** Whether a target has queued work. */
  has(target: string): boolean {
    return this.lines.has(target);
  }

  /** Runs work after all earlier work of its target, or when its signal aborts. After a failure, other than an abort, all queued work of the target fails. */
  async run<T>(target: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(target) ?? { tail: Promise.resolve(), waiting: 0, failure: null };
    this.lines.set(target, line);
    const { tail: before } = line;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    line.tail = before.then(() => promise);
    line.waiting++;
    try {
      await untilAborted(before, signal).catch(() => {}); // `work` throws the error of the abort
      if (line.failure !== null && !signal.aborted) throw line.failure;
      return await work();
    } catch (error) {
      if (!signal.aborted) line.failure ??= error;
      throw error;
    } finally {
      end();
      if (--line.waiting === 0) this.lines.delete(target);
    }
  }
}
