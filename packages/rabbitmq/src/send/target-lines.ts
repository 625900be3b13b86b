import { untilAborted } from "@framework/messaging/adapter";

/** Work that waits at one target. */
interface Line {
  /** Resolves when the last one in line has ended. */
  tail: Promise<void>;
  waiting: number;
  /** Why one of them failed; `null` before. */
  failure: unknown;
}

/** Lets messages that have to wait for a channel, or for their exchange, go on in the order in which they came: one line for each target. */
export class TargetLines {
  private readonly lines = new Map<string, Line>();

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.lines.size === 0;
  }

  /** Whether something waits at a target. */
  has(target: string): boolean {
    return this.lines.has(target);
  }

  /** Runs work when all that came before to its target has ended, or its signal aborts. A failure is that of all that wait with it. */
  async inTurn<T>(target: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(target) ?? { tail: Promise.resolve(), waiting: 0, failure: null };
    this.lines.set(target, line);
    const { tail: before } = line;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    line.tail = before.then(() => promise);
    line.waiting++;
    try {
      await untilAborted(before, signal).catch(() => {}); // the work says what it waited for
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
