import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { HttpRequest } from "@framework/core";
import type { RequestTrace } from "@framework/core/feature";
import { type RequestEntry, requestEntry } from "./request-entry.ts";

const BEGUN = "framework.request.steps";
const ANSWERED = "framework.request.answered";

/** A tenth of the budget of a second is given out in each tenth; what is left is kept for a burst, up to that of a second. */
const PARTS = 10;

/** Options of a recorder. */
export interface RecorderOptions {
  /** The app whose requests are recorded: a process may have several. */
  readonly app: object;
  readonly worker: string;
  readonly maxPerSecond: number;
  /** Called with each request, after its reply was handed over. */
  readonly recorded: (entry: RequestEntry) => void;
}

/**
 * Records requests while it runs. Beyond its budget it stops listening until there is more of it, and requests then cost what they cost without
 * tools: under load a page shows a sample.
 */
export class RequestRecorder {
  private readonly options: RecorderOptions;
  private readonly taken: WeakSet<object> = new WeakSet();
  private refill: NodeJS.Timeout | undefined;
  private left = 0;
  private listens = false;
  private count = 0;

  constructor(options: RecorderOptions) {
    this.options = options;
  }

  start(): void {
    if (this.refill !== undefined) return;
    subscribe(ANSWERED, this.onAnswer);
    this.left = this.options.maxPerSecond;
    this.grant();
    this.refill = setInterval(() => this.grant(), 1000 / PARTS);
    this.refill.unref();
  }

  stop(): void {
    clearInterval(this.refill);
    this.refill = undefined;
    this.listen(false);
    unsubscribe(ANSWERED, this.onAnswer);
  }

  private grant(): void {
    const { maxPerSecond } = this.options;
    this.left = Math.min(maxPerSecond, this.left + maxPerSecond / PARTS);
    this.listen(this.left >= 1);
  }

  private listen(on: boolean): void {
    if (on === this.listens) return;
    this.listens = on;
    if (on) subscribe(BEGUN, this.onBegin);
    else unsubscribe(BEGUN, this.onBegin);
  }

  private readonly onBegin = (message: unknown): void => {
    const trace = message as RequestTrace; // core publishes nothing else on the channel
    if ((trace.request as HttpRequest).app !== this.options.app) return;
    this.taken.add(trace);
    if (--this.left < 1) this.listen(false);
  };

  private readonly onAnswer = (message: unknown): void => {
    const trace = message as RequestTrace; // as above
    if (!this.taken.delete(trace)) return;
    const at = Date.now();
    const { worker, recorded } = this.options;
    setImmediate(() => recorded(requestEntry(trace, `${worker}-${++this.count}`, worker, at)));
  };
}
