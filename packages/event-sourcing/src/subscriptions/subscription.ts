import { retryDelayMs, type RetryPolicy, retryPolicy } from "@framework/core";
import { type Clock, type ConfigInput, keepAlive } from "@framework/core/feature";
import { PollBackoff, WakeSignal } from "../base/wake-signal.ts";
import type { StoreBase } from "../base/store-base.ts";
import { fromPosition, toPosition } from "../events/position.ts";
import type { EventRow } from "../events/event-row.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import type { EventFilter, GlobalReader } from "../global-order/global-reader.ts";
import { checkFilter } from "../global-order/read-all.ts";
import { decoderFor } from "../reading/event-decoder.ts";
import { checkNumber } from "../reading/read-stream.ts";

/** Options of `subscribe`. */
export interface SubscribeOptions extends EventFilter {
  /** Position after which to start. @default the beginning */
  readonly after?: string | undefined;
  /** Maximum number of events in memory, counted as stored; 1 to 1,000. @default 100 */
  readonly batchSize?: number | undefined;
  /** Retry policy for an event whose handler fails. @default 3 attempts, with delays of up to 0.1 s and 0.2 s */
  readonly retry?: ConfigInput<RetryPolicy> | undefined;
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined;
}

/** Handles one event; the next one is passed when the handler has finished. `signal` aborts when the subscription ends. */
export type EventHandler = (event: StoredEvent, signal: AbortSignal) => unknown;

/** A running subscription. */
export interface Subscription extends AsyncDisposable {
  /** Position of the last event that was handled, or excluded by the filter. Resume with it as `after`. */
  readonly position: string;
  /** Resolves when the subscription was stopped; rejects with the error of a handler that failed at every attempt, or of an unreadable event. */
  readonly done: Promise<void>;
  /** Stops the subscription; resolves when the running handler has finished, so a handler must not await it. */
  stop(): Promise<void>;
}

/** Dependencies of `EventSubscription`. */
export interface SubscriptionNeeds {
  readonly base: StoreBase;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  readonly random: () => number;
  /** Calls back when events were appended; returns a function that unsubscribes. */
  readonly onEvents: (listener: () => void) => () => void;
}

/** Passes events to a handler one at a time; reads a batch only when the previous one is handled. */
export class EventSubscription implements Subscription {
  readonly done: Promise<void>;
  private readonly needs: SubscriptionNeeds;
  private readonly options: SubscribeOptions;
  private readonly handler: EventHandler;
  private readonly retry: Readonly<RetryPolicy>;
  private readonly stopping = new AbortController();
  private at: number;
  private rewinds: number | null = null;

  constructor(needs: SubscriptionNeeds, options: SubscribeOptions, handler: EventHandler) {
    checkNumber("batchSize", options.batchSize, 1, MAX_BATCH_SIZE);
    checkFilter(options);
    this.needs = needs;
    this.options = options;
    this.handler = handler;
    this.retry = retryPolicy(options.retry);
    this.at = options.after === undefined ? 0 : fromPosition(options.after);
    this.done = this.run();
    this.done.catch((error: unknown) => {
      needs.base.log.error("event-sourcing: a subscription has ended", { error, after: this.position });
    });
  }

  get position(): string {
    return toPosition(this.at);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done.catch(() => {}); // `done` reports the error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async run(): Promise<void> {
    const { clock, onEvents } = this.needs;
    const given = this.options.signal;
    const signal =
      given === undefined ? this.stopping.signal : AbortSignal.any([given, this.stopping.signal]);
    const wakeSignal = new WakeSignal(clock);
    const end = onEvents(() => wakeSignal.notify());
    const backoff = new PollBackoff();
    const release = keepAlive();
    try {
      while (!signal.aborted) {
        const found = await this.poll(signal);
        if (found !== "more") await wakeSignal.wait(backoff.after(found === "some"), signal);
      }
    } finally {
      release();
      end();
    }
  }

  /** Reads and handles the next batch. A failed read is retried; an error of decoding or of the handler ends the subscription. */
  private async poll(signal: AbortSignal): Promise<"more" | "some" | "none"> {
    const { base, reader } = this.needs;
    const { batchSize = DEFAULT_BATCH_SIZE } = this.options;
    this.rewinds ??= reader.rewindState.rewinds;
    const batch = await this.read(reader.read(this.at, this.options, batchSize, base.db));
    if (batch === null) return "none";
    if (this.rewindIfRestored()) return "more";
    for (const row of batch.rows) {
      if (!(await this.handleRow(row, signal))) return "none";
      this.at = row.position;
    }
    this.at = batch.position;
    if (batch.state === "more") return "more";
    return batch.rows.length > 0 || batch.state === "waiting" ? "some" : "none";
  }

  /** Returns whether the store was restored to an older state; if so, resumes after the remaining events. */
  private rewindIfRestored(): boolean {
    const { rewinds, rewoundTo } = this.needs.reader.rewindState;
    if (rewinds === this.rewinds) return false;
    this.rewinds = rewinds;
    this.at = Math.min(this.at, rewoundTo);
    return true;
  }

  /** Awaits a read; `null` if it fails. */
  private async read<T>(reading: Promise<T>): Promise<T | null> {
    try {
      return await reading;
    } catch (error) {
      this.needs.base.log.warn("event-sourcing: a subscription could not read; it will retry", { error });
      return null;
    }
  }

  /** Returns whether all events of the row were handled. */
  private async handleRow(row: EventRow, signal: AbortSignal): Promise<boolean> {
    const events = await this.decode(row, signal);
    if (events === null) return false;
    for (const [part, event] of events.entries()) {
      const redecode = async (): Promise<StoredEvent> => (await this.decode(row, signal))?.[part] ?? event;
      if (!(await this.handle(event, redecode, signal))) return false;
    }
    return true; // also when the signal aborted while the last handler ran
  }

  /** Decodes a row just before its handler runs, because a person may be forgotten while earlier handlers run. `null` if aborted. */
  private async decode(row: EventRow, signal: AbortSignal): Promise<readonly StoredEvent[] | null> {
    const { base, clock } = this.needs;
    const backoff = new PollBackoff();
    while (!signal.aborted) {
      const decoder = await this.read(decoderFor(base.db, base.types, [row]));
      if (decoder !== null) return decoder.decode(row);
      await new WakeSignal(clock).wait(backoff.after(false), signal);
    }
    return null;
  }

  /**
   * Returns whether the event was handled; `false` if aborted.
   *
   * @param redecode decodes the event again for another attempt
   * @throws the handler's error after the last attempt
   */
  private async handle(
    first: StoredEvent,
    redecode: () => Promise<StoredEvent>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, random } = this.needs;
    let event = first;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.handler(event, signal);
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        if (attempt === this.retry.attempts) throw error;
      }
      await new WakeSignal(clock).wait(retryDelayMs(this.retry, attempt, random()), signal);
      event = await redecode();
    }
    return false;
  }
}

const DEFAULT_BATCH_SIZE = 100;
const MAX_BATCH_SIZE = 1000;
