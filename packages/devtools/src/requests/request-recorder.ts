import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { HttpRequest } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { type RequestEntry, requestEntry } from "./request-entry.ts";

const STEPS_CHANNEL = "framework.request.steps";
const ANSWERED_CHANNEL = "framework.request.answered";

/** Each refill adds a tenth of `maxPerSecond` to the budget, up to `maxPerSecond`. */
const REFILLS_PER_SECOND = 10;

/** Options of a recorder. */
export interface RecorderOptions {
  /** The app whose requests are recorded: a process may have several. */
  readonly app: object;
  readonly worker: string;
  readonly maxPerSecond: number;
  /** Called with each recorded request, after it was handled. */
  readonly onRecorded: (entry: RequestEntry) => void;
}

/**
 * Records requests between `start` and `stop`. When the budget is used up, it unsubscribes, and the steps of requests are not traced until the next refill.
 * A page thus shows a sample under load.
 */
export class RequestRecorder {
  private readonly options: RecorderOptions;
  private readonly recordedTraces: WeakSet<object> = new WeakSet();
  private refill: NodeJS.Timeout | undefined;
  private budget = 0;
  private isListening = false;
  private count = 0;

  constructor(options: RecorderOptions) {
    this.options = options;
  }

  start(): void {
    if (this.refill !== undefined) return;
    subscribe(ANSWERED_CHANNEL, this.onAnswer);
    this.budget = this.options.maxPerSecond;
    this.grant();
    this.refill = setInterval(() => this.grant(), 1000 / REFILLS_PER_SECOND);
    this.refill.unref();
  }

  stop(): void {
    clearInterval(this.refill);
    this.refill = undefined;
    this.listen(false);
    unsubscribe(ANSWERED_CHANNEL, this.onAnswer);
  }

  private grant(): void {
    const { maxPerSecond } = this.options;
    this.budget = Math.min(maxPerSecond, this.budget + maxPerSecond / REFILLS_PER_SECOND);
    this.listen(this.budget >= 1);
  }

  private listen(on: boolean): void {
    if (on === this.isListening) return;
    this.isListening = on;
    if (on) subscribe(STEPS_CHANNEL, this.onBegin);
    else unsubscribe(STEPS_CHANNEL, this.onBegin);
  }

  private readonly onBegin = (message: unknown): void => {
    const trace = message as RequestTrace; // core publishes nothing else on the channel
    if ((trace.request as HttpRequest).app !== this.options.app) return;
    this.recordedTraces.add(trace);
    if (--this.budget < 1) this.listen(false);
  };

  private readonly onAnswer = (message: unknown): void => {
    const trace = message as RequestTrace; // as above
    if (!this.recordedTraces.delete(trace)) return;
    const at = Date.now();
    const { worker, onRecorded } = this.options;
    setImmediate(() => onRecorded(requestEntry(trace, `${worker}-${++this.count}`, worker, at)));
  };
}
