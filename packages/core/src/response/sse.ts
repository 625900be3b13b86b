import { FrameworkError } from "../errors/framework-error.ts";
import { nearest } from "../errors/nearest.ts";
import { isPromise } from "../middleware/middleware.ts";
import { bodyKindOf, ByteChunks, sourceOf } from "./byte-stream.ts";
import type { ChunkSource } from "./chunk-source.ts";
import { toJsonText } from "./json/json-text.ts";
import { BodyStream } from "../exchange/payload.ts";
import { EndlessBody } from "./endless-body.ts";

/** One server-sent event (HTML Standard 9.2). */
export interface ServerSentEvent {
  /** A string is sent unchanged, any other value as JSON. An event without data reaches no listener, but sets `id` and `retry`. */
  readonly data?: unknown;
  /** Name of the event, without line breaks; clients dispatch an event without a name as `message`. */
  readonly event?: string;
  /** Id that the client sends as `Last-Event-ID` when it reconnects, without line breaks and NUL. */
  readonly id?: string;
  /** Milliseconds that the client waits before it reconnects. */
  readonly retry?: number;
}

/** Options of an event stream. */
export interface SseOptions {
  /** Seconds without an event until a comment is sent to keep the connection alive, at most a day; 0 disables it. @default 15 */
  readonly heartbeatSecs?: number;
  /**
   * Whether the stream ends cleanly when the service starts to drain, so that the client connects to another instance. Use `false` for finite streams, such as
   * the words of one answer: a drain waits for them. @default true
   */
  readonly untilDrain?: boolean;
}

/** Events; a string is the data of one event. */
export type EventSource = AsyncIterable<ServerSentEvent | string> | Iterable<ServerSentEvent | string>;

/** Set by the kernel when the handler returns the reply, before the first event is pulled. */
export interface EventInspection {
  /** Called with the `data` of each event that is an object; an error that it throws fails the body. */
  inspect: ((data: unknown) => void) | null;
}

/**
 * Creates the body of an event stream: one chunk per event, pulled from the source one by one.
 *
 * @param inspection checks the data of each event for content that JSON loses, once the kernel has set it
 * @throws CORE_BAD_EVENT for an invalid `heartbeatSecs`; CORE_BAD_BODY for a value that is neither a stream nor an iterable, CORE_BODY_USED for a stream with a
 * reader. An invalid event fails the body with CORE_BAD_EVENT, and data that JSON cannot express with CORE_BAD_REPLY
 */
export const eventStream = (
  events: EventSource,
  { heartbeatSecs = 15, untilDrain = true }: SseOptions = {},
  inspection: EventInspection = { inspect: null },
): BodyStream => {
  if (typeof heartbeatSecs !== "number" || !(heartbeatSecs >= 0 && heartbeatSecs <= MAX_HEARTBEAT_SECS)) {
    throw badEvent(`heartbeatSecs must be from 0 to ${MAX_HEARTBEAT_SECS}`);
  }
  const source = sourceOf(events, "a stream or an iterable of events");
  const chunks = new ByteChunks(new EventChunks(source, heartbeatSecs * 1000, inspection));
  return untilDrain ? new EndlessBody(chunks) : new BodyStream(chunks);
};

const MAX_HEARTBEAT_SECS = 86_400;

/** The frames of a source's events, with a comment at each heartbeat. */
class EventChunks implements ChunkSource {
  private readonly source: ChunkSource;
  private readonly heartbeatMs: number;
  private readonly inspection: EventInspection;
  private pending: Promise<IteratorResult<unknown, unknown>> | null = null;
  private hasArrived = false;
  private wake: ((hasArrived: boolean) => void) | null = null;

  constructor(source: ChunkSource, heartbeatMs: number, inspection: EventInspection) {
    this.inspection = inspection;
    this.source = source;
    this.heartbeatMs = heartbeatMs;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    this.pending ??= this.pull();
    if (!(await this.arrival())) return { done: false, value: ":\n\n" };
    const result = await this.pending;
    this.pending = null;
    if (result.done === true) return { done: true, value: undefined };
    try {
      const frame = eventFrame(result.value);
      if (typeof result.value !== "string") this.inspection.inspect?.((result.value as ServerSentEvent).data);
      return { done: false, value: frame };
    } catch (error) {
      // An error from closing the source must not replace the one about the event.
      this.source.close().catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    this.wake?.(false);
    const closed = this.source.close();
    if (this.pending === null) await closed;
    else closed.catch(() => {}); // after a heartbeat the next event is still pending: its source may close late or never
  }

  /** Pulls one event. One listener waits for it over all heartbeats: with a listener per heartbeat, all of them would stay until the event arrives. */
  private pull(): Promise<IteratorResult<unknown, unknown>> {
    const arrived = () => {
      this.hasArrived = true;
      this.wake?.(true);
    };
    this.hasArrived = false;
    const pending = this.source.next();
    pending.then(arrived, arrived);
    return pending;
  }

  /** Whether the awaited event arrived before the next heartbeat. */
  private async arrival(): Promise<boolean> {
    if (this.hasArrived || this.heartbeatMs === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.wake = resolve;
    const timer = setTimeout(resolve, this.heartbeatMs, false);
    (timer as { unref?: () => void }).unref?.();
    const hasArrived = await promise;
    this.wake = null;
    clearTimeout(timer);
    return hasArrived;
  }
}

const fields = ["data", "event", "id", "retry"];

/** The frame of one event. @throws CORE_BAD_EVENT; CORE_BAD_REPLY for data that JSON cannot express */
export const eventFrame = (event: unknown): string => {
  if (typeof event === "string") return `${dataLines(event)}\n`;
  if (typeof event !== "object" || event === null || isPromise(event))
    throw badEvent(`an event must be a string or an object, not ${bodyKindOf(event)}`);
  const unknown = Object.keys(event).find((key) => !fields.includes(key));
  if (unknown !== undefined) {
    const [near] = nearest(unknown.slice(0, 40), fields);
    throw badEvent(
      `an event has no field ${JSON.stringify(unknown.slice(0, 40))}; ${near === undefined ? "" : `did you mean "${near}"? Otherwise `}yield { data: … } to send an object`,
    );
  }
  const { data, event: name, id, retry } = event as ServerSentEvent;
  return (
    line("event", name, /[\r\n]/) +
    line("id", id, /[\r\n\0]/) +
    retryLine(retry) +
    (data === undefined ? "" : dataLines(typeof data === "string" ? data : toJsonText(data))) +
    "\n"
  );
};

const dataLines = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((part) => `data: ${part}\n`)
    .join("");

const line = (field: string, value: unknown, refused: RegExp): string => {
  if (value === undefined) return "";
  if (typeof value !== "string") throw badEvent(`${field} must be a string`);
  if (refused.test(value)) throw badEvent(`${field} must not contain a line break or NUL`);
  return `${field}: ${value}\n`;
};

const retryLine = (retry: unknown): string => {
  if (retry === undefined) return "";
  if (!Number.isSafeInteger(retry) || (retry as number) < 0)
    throw badEvent("retry must be whole milliseconds");
  return `retry: ${retry as number}\n`;
};

const badEvent = (problem: string): FrameworkError =>
  new FrameworkError("CORE_BAD_EVENT", `server-sent events: ${problem}`);
