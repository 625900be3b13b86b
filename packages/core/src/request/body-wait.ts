import type { BodySource } from "../body/read-body.ts";
import type { HttpRequest } from "./http-request.ts";

/** The time that readers of a body have waited for the client. */
export interface BodyWait {
  /** Milliseconds so far. */
  readonly ms: number;
}

/** The wait for a body that has already arrived. */
export const noWait: BodyWait = { ms: 0 };

/**
 * Measures how long a request waits for the client to send the rest of its body; time in the app does not count. Call it before the body is read. It has no
 * effect on a body that has already arrived.
 *
 * @param now monotonic clock in milliseconds
 */
export const bodyWait = (request: HttpRequest, now: () => number): BodyWait => {
  const source = request["bodySource"];
  if (hasArrived(source)) return noWait;
  const wait = new MeasuredWait(now);
  request["bodySource"] = waitingSource(source, wait);
  return wait;
};

/** `buffered` is read last: it creates a view of the bytes, which a body read from the window does not need. */
const hasArrived = (source: BodySource): boolean =>
  source.bodyLength === 0 || (source.inWindow?.() ?? -1) !== -1 || source.buffered !== null;

class MeasuredWait implements BodyWait {
  private readonly now: () => number;
  private endedMs = 0;
  private since: number | null = null;

  constructor(now: () => number) {
    this.now = now;
  }

  get ms(): number {
    return this.since === null ? this.endedMs : this.endedMs + this.now() - this.since;
  }

  /** Reads never overlap. */
  async during<T>(read: Promise<T>): Promise<T> {
    this.since = this.now();
    try {
      return await read;
    } finally {
      this.endedMs = this.ms;
      this.since = null;
    }
  }
}

const waitingSource = (source: BodySource, wait: MeasuredWait): BodySource => ({
  bodyLength: source.bodyLength,
  isDecoded: source.isDecoded ?? false,
  buffered: null,
  chunks: () => ({
    [Symbol.asyncIterator]: () => {
      const chunks = source.chunks()[Symbol.asyncIterator]();
      return {
        next: () => wait.during(chunks.next()),
        return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
      };
    },
  }),
});
