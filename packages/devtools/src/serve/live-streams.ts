import type { ServerSentEvent } from "@framework/core";

/** Maximum number of open pages per worker. */
const MAX_STREAMS = 16;
/** Maximum number of events buffered for a slow page; the oldest are dropped, except the first event of a page. */
const MAX_WAITING = 1000;

/** The event streams of open pages. */
export class LiveStreams {
  private readonly open: Set<LiveStream> = new Set();
  private isClosed = false;

  get size(): number {
    return this.open.size;
  }

  /** Opens a stream that begins with the given events; `null` when there are too many. */
  add(first: readonly ServerSentEvent[], onEnd: () => void): AsyncIterableIterator<ServerSentEvent> | null {
    if (this.isClosed || this.open.size >= MAX_STREAMS) return null;
    const stream = new LiveStream(first, () => {
      this.open.delete(stream);
      onEnd();
    });
    this.open.add(stream);
    return stream;
  }

  send(event: ServerSentEvent): void {
    for (const stream of this.open) stream.push(event);
  }

  /** Ends every stream, and refuses further ones. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.open) stream.end();
  }
}

class LiveStream implements AsyncIterableIterator<ServerSentEvent> {
  private readonly waiting: ServerSentEvent[];
  private readonly onEnd: () => void;
  private wake: (() => void) | null = null;
  private hasBegun = false;
  private hasEnded = false;

  constructor(first: readonly ServerSentEvent[], onEnd: () => void) {
    this.waiting = [...first];
    this.onEnd = onEnd;
  }

  push(event: ServerSentEvent): void {
    // The first event has the facts about the service, which are sent only once.
    if (this.waiting.length >= MAX_WAITING) this.waiting.splice(this.hasBegun ? 0 : 1, 1);
    this.waiting.push(event);
    this.wake?.();
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.onEnd();
    this.wake?.();
  }

  async next(): Promise<IteratorResult<ServerSentEvent>> {
    while (!this.hasEnded && this.waiting.length === 0)
      await new Promise<void>((resolve) => (this.wake = resolve));
    this.hasBegun = true;
    const event = this.hasEnded ? undefined : this.waiting.shift();
    return event === undefined ? { done: true, value: undefined } : { done: false, value: event };
  }

  async return(): Promise<IteratorResult<ServerSentEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
