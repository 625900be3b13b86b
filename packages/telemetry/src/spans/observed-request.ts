import type { Span } from "@opentelemetry/api";
import { FailedWith, messageOf } from "@framework/core/feature";
import type { HttpRequest } from "@framework/core";
import type { RequestMeter, TimedRequest } from "../metrics/request-meter.ts";
import { finishRequest } from "./finish-request.ts";
import type { RequestTemplates } from "./request-templates.ts";

/** Dependencies shared by all observed requests. */
export interface ObserverParts {
  /** `null` if metrics are not exported. */
  readonly meter: RequestMeter | null;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly templates: RequestTemplates;
}

/** A request that is timed or recorded until its end. */
export class ObservedRequest {
  /** 0 until there is a reply. */
  status = 0;
  private readonly request: HttpRequest;
  private readonly span: Span | null;
  private readonly timed: TimedRequest | null;
  private readonly now: () => number;
  private readonly beganAt: number;
  private readonly templates: RequestTemplates;

  constructor(request: HttpRequest, span: Span | null, { meter, now, templates }: ObserverParts) {
    this.request = request;
    this.span = span;
    this.timed = meter === null ? null : meter.begin(request);
    this.now = now;
    this.beganAt = meter === null ? 0 : now();
    this.templates = templates;
  }

  /** Subscribes to the end of the request, to record it. */
  awaitEnd(): void {
    this.request.onEnd((end) => this.end(end));
  }

  /** Records the error of the reply's streamed body. */
  fail(error: unknown): void {
    this.request.context.set(FailedWith, Error.isError(error) ? error : new Error(messageOf(error)));
  }

  private end(end: "sent" | "aborted"): void {
    const { span, timed } = this;
    if (timed !== null) timed.end(this.status, this.now() - this.beganAt);
    if (span !== null) finishRequest(span, this.request, this.status, end === "aborted", this.templates);
  }
}
