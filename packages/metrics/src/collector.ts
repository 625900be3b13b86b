import { setImmediate } from "node:timers/promises";
import { FrameworkError, type Logger } from "@framework/core";
import type { Json, SharedState, Total } from "@framework/core/feature";
import type { Family, GaugeEntry, Reading, Source } from "./family.ts";
import { incrementsOf } from "./increments.ts";
import { inSlices, inTurns } from "./in-turns.ts";
import type { DirtyCells } from "./dirty-cells.ts";
import { withoutDuplicates } from "./without-duplicates.ts";

/** Options of `Collector`. */
export interface CollectorOptions {
  readonly shared: SharedState;
  /** Prefix of the totals and channels; unique to the app in its service. */
  readonly key: string;
  readonly dirty: DirtyCells;
  /** Cheap sources, read at every flush. */
  readonly sources: readonly Source[];
  /** Slow sources, read only at a scrape and at stop. */
  readonly slowSources: readonly Source[];
  readonly log: Logger;
}

/** Values of the whole service. */
export interface ServiceValues {
  readonly families: readonly Family[];
  readonly totals: readonly Total[];
  /** Gauges of each worker that replied. */
  readonly gauges: readonly (readonly GaugeEntry[])[];
}

/** Maximum wait for the replies of the workers, in milliseconds. */
const REPLY_TIMEOUT_MS = 1000;
/** Maximum number of series in one call, and in one turn of the event loop. */
const BATCH = 500;
/** Maximum number of characters in one message; each takes at most three bytes in UTF-8. */
const MAX_MESSAGE_CHARACTERS = 16_000;

/**
 * Collects the metrics of all workers in one of them.
 *
 * Counts are sent as increments to totals of the primary process, so that totals never decrease when a worker exits. A scrape requests the last
 * increments and the gauges of every worker, waits for them for at most a second, then reads the totals page by page.
 */
export class Collector {
  private readonly options: CollectorOptions;
  private readonly id: string = crypto.randomUUID();
  private readonly sources: readonly Source[];
  private readonly slowSources: readonly Source[];
  /** Duplicate metrics that have been logged. */
  private readonly duplicates: Set<string> = new Set();
  /** Gauges in the replies to this worker's scrapes, by scrape and worker. */
  private readonly scrapes: Map<number, Map<string, GaugeEntry[]>> = new Map();
  private readonly unsubscribe: (() => void)[] = [];
  private lastScrape = 0;
  /** Serializes readings: an older reading that ends after a newer one would look like a reset of the totals. */
  private sending: Promise<unknown> = Promise.resolve();
  private families: readonly Family[] = [];
  /** Metrics of each source when it was last read. */
  private readonly known: Map<Source, readonly Family[]> = new Map();
  private collecting: Promise<ServiceValues> | null = null;

  constructor(options: CollectorOptions) {
    this.options = options;
    this.sources = options.sources.map(incrementsOf);
    this.slowSources = options.slowSources.map(incrementsOf);
  }

  start(): void {
    const { shared, key } = this.options;
    this.unsubscribe.push(
      shared.values.subscribe(`${key}/scrape`, (message) => this.reply(message)),
      shared.values.subscribe(`${key}/answer/${this.id}`, (message) => this.handleReply(message)),
    );
  }

  /** Unsubscribes and flushes the counts. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.unsubscribe.splice(0)) unsubscribe();
    await this.send(true);
  }

  /** Sends the increments, with `includesSlow` also of the slow sources. Resolves with the gauges. */
  send(includesSlow: boolean): Promise<readonly GaugeEntry[]> {
    const sent = this.sending.then(() => this.sendNow(includesSlow));
    this.sending = sent.catch(() => {});
    return sent;
  }

  /** Returns the values of all workers. Concurrent calls are coalesced. @throws CORE_SHARED_STATE_UNAVAILABLE */
  collect(): Promise<ServiceValues> {
    this.collecting ??= this.collectNow().finally(() => {
      this.collecting = null;
    });
    return this.collecting;
  }

  private async collectNow(): Promise<ServiceValues> {
    const { shared, key } = this.options;
    const scrape = ++this.lastScrape;
    const replies = new Map<string, GaugeEntry[]>();
    this.scrapes.set(scrape, replies);
    try {
      await shared.values.publish(`${key}/scrape`, { scrape, to: this.id }, { waitMs: REPLY_TIMEOUT_MS });
      const totals = await this.readTotals();
      return { families: this.families, totals, gauges: [...replies.values()] };
    } finally {
      this.scrapes.delete(scrape);
    }
  }

  /**
   * Reads every total in pages, so that this process and the primary can serve requests between two pages. The numbers of
   * one series are consistent; the numbers of a later page may be some milliseconds newer. Totals only grow, so a later scrape never has smaller ones.
   */
  private async readTotals(): Promise<Total[]> {
    const { shared, key } = this.options;
    const totals: Total[] = [];
    for (;;) {
      const page = await shared.totals.read(key, totals.length);
      if (page.length === 0) return totals;
      totals.push(...page);
      await setImmediate();
    }
  }

  /** Replies to a scrape of any worker. */
  private async reply(message: Json): Promise<void> {
    const { scrape, to } = message as { readonly scrape: number; readonly to: string };
    const { shared, key } = this.options;
    const gauges = await this.send(true);
    for await (const part of inTurns(parts(gauges))) {
      await shared.values.publish(`${key}/answer/${to}`, {
        scrape,
        from: this.id,
        gauges: part as unknown as Json,
      });
    }
  }

  private handleReply(message: Json): void {
    const { scrape, from, gauges } = message as unknown as {
      readonly scrape: number;
      readonly from: string;
      readonly gauges: readonly GaugeEntry[];
    };
    const replies = this.scrapes.get(scrape); // undefined after the scrape has ended
    if (replies === undefined) return;
    const present = replies.get(from);
    if (present === undefined) replies.set(from, [...gauges]);
    else present.push(...gauges);
  }

  private async sendNow(includesSlow: boolean): Promise<readonly GaugeEntry[]> {
    const { dirty } = this.options;
    const sources = includesSlow ? [...this.sources, ...this.slowSources] : this.sources;
    const all = await Promise.all(sources.map((source) => this.read(source)));
    const readings = withoutDuplicates(all, (metric) => this.reportDuplicate(metric));
    if (includesSlow) this.families = readings.flatMap(({ families }) => families);
    const increments = readings.flatMap(({ totals }) => totals);
    for await (const gains of inTurns(dirty.take(BATCH))) await this.add(this.finite(gains));
    for await (const gains of inSlices(increments)) await this.add(this.finite(gains));
    return readings.flatMap(({ gauges }) => gauges.filter(([, value]) => Number.isFinite(value)));
  }

  private reportDuplicate(metric: string): void {
    if (this.duplicates.has(metric)) return;
    this.duplicates.add(metric);
    this.options.log.warn(
      `the metric ${metric} of a registry is not shown: another source has a metric of this name`,
    );
  }

  /** Reads a source; a failure is logged and yields no values. */
  private async read(source: Source): Promise<Reading> {
    try {
      const reading = await source();
      this.known.set(source, reading.families);
      return reading;
    } catch (error) {
      this.options.log.error("a metric could not be read", { error });
      return { families: [], totals: [], gauges: [], missing: this.known.get(source) ?? [] };
    }
  }

  /** Drops the series whose increments overflowed: the totals would reject all others with them. */
  private finite(gains: readonly Total[]): readonly Total[] {
    return gains.filter(([series, numbers]) => {
      const isFinite = numbers.every(Number.isFinite);
      if (!isFinite)
        this.options.log.error("increments of a series were lost: their sum is too large", { series });
      return isFinite;
    });
  }

  /** Adds to the totals. If they are full, new series are dropped and existing ones still counted. */
  private async add(gains: readonly Total[]): Promise<void> {
    const { shared, key, log } = this.options;
    try {
      await shared.totals.add(key, gains);
    } catch (error) {
      const isFull = FrameworkError.is(error) && error.code === "CORE_SHARED_STATE_FULL";
      if (!isFull) return log.error("increments of metrics were lost", { error }); // a retry might count them twice
      if (gains.length === 1)
        return log.warn("a series was dropped: the totals are full", { series: gains[0]?.[0] });
      const half = gains.length >> 1;
      await this.add(gains.slice(0, half));
      await this.add(gains.slice(half));
    }
  }
}

/** Splits gauges into messages within the bounds of the shared state. Yields at least one, which shows that the worker replied. */
function* parts(gauges: readonly GaugeEntry[]): Generator<readonly GaugeEntry[], void> {
  let message: GaugeEntry[] = [];
  let size = 0;
  for (const entry of gauges) {
    const length = JSON.stringify(entry).length + 1;
    if (size + length > MAX_MESSAGE_CHARACTERS) {
      yield message;
      message = [];
      size = 0;
    }
    size += length;
    message.push(entry);
  }
  yield message;
}
