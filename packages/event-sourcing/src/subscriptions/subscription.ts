import { type RetryPolicy, retryDelayMs, retryPolicy } from "@framework/core";
import { type Clock, type ConfigInput, keepAlive } from "@framework/core/feature";
import { Bell, Pauses } from "../base/bell.ts";
import type { StoreBase } from "../base/store-base.ts";
import { fromPosition, toPosition } from "../events/position.ts";
import type { EventRow } from "../events/event-row.ts";
import type { StoredEvent } from "../events/stored-event.ts";
import type { EventFilter, GlobalReader } from "../global-order/global-reader.ts";
import { checkTypes } from "../global-order/read-all.ts";
import { decoderFor } from "../reading/event-decoder.ts";
import { checkNumber } from "../reading/read-stream.ts";

/** Which events to get, and how. */
export interface SubscribeOptions extends EventFilter {
  /** Position after which to begin. @default the beginning */
  readonly after?: string | undefined;
  /** Most events in memory, 1 to 1,000. @default 100 */
  readonly batchSize?: number | undefined;
  /** Attempts at an event whose handler fails. @default 3 attempts, with delays from 0.1 s */
  readonly retry?: ConfigInput<RetryPolicy> | undefined;
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined;
}

/** Handles one event; the next one comes when it has returned. `signal` aborts when the subscription ends. */
export type EventHandler = (event: StoredEvent, signal: AbortSignal) => unknown;

/** A running subscription. */
export interface Subscription extends AsyncDisposable {
  /** Position of the last event that was handled, or excluded by the filter: go on after it. */
  readonly position: string;
  /** Resolves when the subscription was stopped; rejects with the error of a handler that failed at every attempt, or of an unreadable event. */
  readonly done: Promise<void>;
  /** Ends it, after the handler that runs. */
  stop(): Promise<void>;
}

/** What subscriptions need. */
export interface SubscriptionNeeds {
  readonly base: StoreBase;
  readonly reader: GlobalReader;
  readonly clock: Clock;
  readonly random: () => number;
  /** Calls back when events were appended; returns a function that ends it. */
  readonly onEvents: (listener: () => void) => () => void;
}

/** Gives events to a handler, one after the other: while it works, nothing is read. */
export class EventSubscription implements Subscription {
  readonly done: Promise<void>;
  private readonly needs: SubscriptionNeeds;
  private readonly options: SubscribeOptions;
  private readonly handler: EventHandler;
  private readonly retry: Readonly<RetryPolicy>;
  private readonly stopping = new AbortController();
  private at: number;
  private returns: number | null = null;

  constructor(needs: SubscriptionNeeds, options: SubscribeOptions, handler: EventHandler) {
    checkNumber("batchSize", options.batchSize, 1, MAX_BATCH_SIZE);
    checkTypes(options.types);
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
    await this.done.catch(() => {}); // `done` tells
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async run(): Promise<void> {
    const { clock, onEvents } = this.needs;
    const given = this.options.signal;
    const signal =
      given === undefined ? this.stopping.signal : AbortSignal.any([given, this.stopping.signal]);
    const bell = new Bell(clock);
    const end = onEvents(() => bell.ring());
    const pauses = new Pauses();
    const release = keepAlive();
    try {
      while (!signal.aborted) {
        const found = await this.look(signal);
        if (found !== "more") await bell.wait(pauses.after(found === "some"), signal);
      }
    } finally {
      release();
      end();
    }
  }

  /** A database that is away is asked again; anything else ends the subscription. */
  private async look(signal: AbortSignal): Promise<"more" | "some" | "none"> {
    const { base, reader } = this.needs;
    const { batchSize = DEFAULT_BATCH_SIZE } = this.options;
    this.returns ??= reader.returns.returns;
    const batch = await this.read(reader.read(this.at, this.options, batchSize, base.db));
    if (batch === null) return "none";
    if (this.hasGoneBack()) return "more";
    for (const row of batch.rows) {
      if (!(await this.handleRow(row, signal))) return "none";
      this.at = row.position;
    }
    this.at = batch.position;
    if (batch.state === "more") return "more";
    return batch.rows.length > 0 || batch.state === "waiting" ? "some" : "none";
  }

  /** Whether the store went back to an older state: the subscription goes on after what is left. */
  private hasGoneBack(): boolean {
    const { returns, returnedTo } = this.needs.reader.returns;
    if (returns === this.returns) return false;
    this.returns = returns;
    this.at = Math.min(this.at, returnedTo);
    return true;
  }

  /** What the database answers; `null` when it is away. */
  private async read<T>(reading: Promise<T>): Promise<T | null> {
    try {
      return await reading;
    } catch (error) {
      this.needs.base.log.warn("event-sourcing: a subscription could not read; it tries again", { error });
      return null;
    }
  }

  /** Returns whether all its events were handled. */
  private async handleRow(row: EventRow, signal: AbortSignal): Promise<boolean> {
    const events = await this.decode(row, signal);
    if (events === null) return false;
    for (const [part, event] of events.entries()) {
      const again = async (): Promise<StoredEvent> => (await this.decode(row, signal))?.[part] ?? event;
      if (!(await this.handle(event, again, signal))) return false;
    }
    return true; // also when the signal aborted while the last handler ran
  }

  /** Reads the keys of personal data just before the handler is called: handlers are slow, and the person may be forgotten meanwhile. `null` once aborted. */
  private async decode(row: EventRow, signal: AbortSignal): Promise<readonly StoredEvent[] | null> {
    const { base, clock } = this.needs;
    const pauses = new Pauses();
    while (!signal.aborted) {
      const decoder = await this.read(decoderFor(base.db, base.types, [row]));
      if (decoder !== null) return decoder.decode(row);
      await new Bell(clock).wait(pauses.after(false), signal);
    }
    return null;
  }

  /**
   * Returns whether it was handled, and not interrupted.
   *
   * @param again decodes the event for another attempt
   * @throws the handler's error after the last attempt
   */
  private async handle(
    first: StoredEvent,
    again: () => Promise<StoredEvent>,
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
      await new Bell(clock).wait(retryDelayMs(this.retry, attempt, random()), signal);
      event = await again();
    }
    return false;
  }
}

const DEFAULT_BATCH_SIZE = 100;
const MAX_BATCH_SIZE = 1000;
