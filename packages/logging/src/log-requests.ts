import { BodyStream, coversPath, isPromise, mapOutput, payloadLength } from "@framework/core/feature";
import type { ExchangeEnd, HttpRequest, Middleware, Response } from "@framework/core";
import { type AccessLine, levelOf } from "./access-line.ts";
import { CountedBody } from "./body-count.ts";
import type { Details } from "./details.ts";
import type { LogLevel } from "./logging-config.ts";

/** Options of request lines. */
export interface LogRequestsOptions {
  readonly level: LogLevel;
  readonly excludePaths: readonly string[];
  readonly line: AccessLine;
  readonly write: (line: string) => void;
  /** Additional members of a line, or `null`. */
  readonly details: Details | null;
}

/** An in-memory body of at most this many bytes counts as sent when it is passed to the transport: the system buffers that much. */
const MAX_BUFFERED_BYTES = 65_536;

const weight = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

/**
 * Writes one line per request: when the reply is passed to the transport, when a long or streamed body has ended, or when the client disconnects. A
 * short synchronous reply costs no closure and no promise.
 */
export const logRequests = (options: LogRequestsOptions): Middleware<HttpRequest, Response> => {
  const { line, write, details } = options;
  const isExcluded = coversPath(options.excludePaths);
  const now = performance.now.bind(performance); // `Clock.now` has only whole milliseconds; a latency has three decimals
  const threshold = weight[options.level];
  const log: LogExchange = (request, reply, start, bytes, aborted, error) => {
    const status = reply === null ? CLIENT_CLOSED_REQUEST : reply.status;
    if (weight[levelOf(status)] < threshold) return;
    const latencyMs = now() - start;
    const detailMembers = details === null ? null : details.of(request, reply);
    write(line(request, { status, latencyMs, bytes, aborted, error, details: detailMembers }));
  };
  return function logRequests(request, next) {
    if (isExempt(request) || isExcluded(request.path)) return next(request);
    const start = now();
    details?.watch(request);
    const reply = next(request);
    if (isPromise(reply)) {
      const exchange = new LoggedExchange(request, start, log);
      return mapOutput(reply, (response) => exchange.onReply(response), null);
    }
    if (isSentImmediately(request, reply)) {
      log(request, reply, start, sentBytes(request, reply), false, null);
      return reply;
    }
    return new LoggedExchange(request, start, log).onReply(reply);
  };
};

type LogExchange = (
  request: HttpRequest,
  reply: Response | null,
  start: number,
  bytes: number | null,
  aborted: boolean,
  error: string | null,
) => void;

/** A request whose line is written later, exactly once. */
class LoggedExchange {
  private readonly request: HttpRequest;
  private readonly start: number;
  private readonly log: LogExchange;
  private reply: Response | null = null;
  private counted: CountedBody | null = null; // transports may wrap it again
  private isWritten = false;

  constructor(request: HttpRequest, start: number, log: LogExchange) {
    this.request = request;
    this.start = start;
    this.log = log;
    void request.clientIp; // cached for the line, because the socket may be closed when the line is written
    request.onEnd((end) => this.onEnd(end));
  }

  onReply(reply: Response): Response {
    if (this.isWritten) return reply; // already logged as a disconnect
    this.reply = reply;
    if (isSentImmediately(this.request, reply)) this.write(false, sentBytes(this.request, reply));
    else if (reply.payload instanceof BodyStream) {
      this.counted = new CountedBody(reply.payload);
      reply.payload = this.counted;
    }
    return reply;
  }

  private onEnd(end: ExchangeEnd): void {
    if (this.isWritten) return;
    const { reply, counted } = this;
    const aborted = end === "aborted";
    if (counted !== null) this.write(aborted, counted.bytes, counted.error);
    else this.write(aborted, reply === null ? 0 : aborted ? null : payloadLength(reply.payload));
  }

  private write(aborted: boolean, bytes: number | null, error: string | null = null): void {
    this.isWritten = true;
    this.log(this.request, this.reply, this.start, bytes, aborted, error);
  }
}

/** Logged status when the client disconnected before the reply: not an HTTP status, but common in logs. */
const CLIENT_CLOSED_REQUEST = 499;

const hasNoBody = (request: HttpRequest, { status }: Response): boolean =>
  request.method === "HEAD" || status === 204 || status === 304;

const isSentImmediately = (request: HttpRequest, reply: Response): boolean => {
  const { payload } = reply;
  if (payload === null || hasNoBody(request, reply)) return true;
  if (payload instanceof BodyStream) return false;
  return payload.length * 3 <= MAX_BUFFERED_BYTES || (payloadLength(payload) ?? 0) <= MAX_BUFFERED_BYTES;
};

const sentBytes = (request: HttpRequest, reply: Response): number | null =>
  hasNoBody(request, reply) ? 0 : payloadLength(reply.payload);

/** Health and metrics endpoints are not logged: probes would fill the log. */
const isExempt = ({ endpoint }: HttpRequest): boolean =>
  endpoint !== null && endpoint.exempt.includes("telemetry");
