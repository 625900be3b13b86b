import { FrameworkError, type Logger } from "@framework/core";
import type { Json, SharedState, Total } from "@framework/core/feature";
import type { Family, GaugeEntry, Reading } from "./family.ts";
import { Growth } from "./growth.ts";
import type { Ledger } from "./ledger.ts";

/** A source of values beside the ledger. */
export type Source = () => Reading | Promise<Reading>;

/** What a collector is made with. */
export interface CollectorOptions {
  readonly shared: SharedState;
  /** Names the totals and channels; unique to the app in its service. */
  readonly key: string;
  readonly ledger: Ledger;
  /** Sources that are cheap to read, sent with every flush. */
  readonly sources: readonly Source[];
  /** Sources that are read at a scrape only. */
  readonly slowSources: readonly Source[];
  readonly log: Logger;
}

/** Values of the whole service. */
export interface Collected {
  readonly families: readonly Family[];
  readonly totals: readonly Total[];
  /** Of each worker that answered. */
  readonly gauges: readonly (readonly GaugeEntry[])[];
}

/** Most series in one call. */
const BATCH = 500;
/** Most characters of one message; three bytes each are the most that UTF-8 makes of them. */
const MESSAGE = 16_000;

/**
 * One worker's part in the metrics of all workers.
 *
 * What is counted is sent as gains to totals that the primary process keeps, so no total ever goes back when a worker ends. A scrape asks every
 * worker to send its last gains and its gauges, then reads the totals; a worker that is stuck is not waited for longer than a second.
 */
export class Collector {
  private readonly options: CollectorOptions;
  private readonly id: string = crypto.randomUUID();
  private readonly growth: Growth = new Growth();
  /** Answers to scrapes of this worker, by worker. */
  private readonly scrapes: Map<number, Map<string, GaugeEntry[]>> = new Map();
  private readonly unsubscribe: (() => void)[] = [];
  private lastScrape = 0;
  /** Readings follow each other, or an older one would be taken for totals that began anew. */
  private sending: Promise<unknown> = Promise.resolve();
  private families: readonly Family[] = [];
  private collecting: Promise<Collected> | null = null;

  constructor(options: CollectorOptions) {
    this.options = options;
  }

  start(): void {
    const { shared, key } = this.options;
    this.unsubscribe.push(
      shared.values.subscribe(`${key}/ask`, (message) => this.answer(message)),
      shared.values.subscribe(`${key}/tell/${this.id}`, (message) => this.heard(message)),
    );
  }

  /** Sends what was counted up to here, and answers no more. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.unsubscribe.splice(0)) unsubscribe();
    await this.send(true);
  }

  /** Sends gains; `isWhole` reads the slow sources too. Resolves with the gauges. */
  send(isWhole: boolean): Promise<readonly GaugeEntry[]> {
    const sent = this.sending.then(() => this.sendNow(isWhole));
    this.sending = sent.catch(() => {});
    return sent;
  }

  /** Values of all workers. Concurrent calls share one round. @throws CORE_SHARED_STATE_UNAVAILABLE */
  collect(): Promise<Collected> {
    this.collecting ??= this.collectNow().finally(() => {
      this.collecting = null;
    });
    return this.collecting;
  }

  private async collectNow(): Promise<Collected> {
    const { shared, key } = this.options;
    const scrape = ++this.lastScrape;
    const answers = new Map<string, GaugeEntry[]>();
    this.scrapes.set(scrape, answers);
    try {
      await shared.values.publish(`${key}/ask`, { scrape, to: this.id });
      const totals = await shared.totals.read(key);
      return { families: this.families, totals, gauges: [...answers.values()] };
    } finally {
      this.scrapes.delete(scrape);
    }
  }

  /** Another worker, or this one, is scraped. */
  private async answer(message: Json): Promise<void> {
    const { scrape, to } = message as { readonly scrape: number; readonly to: string };
    const { shared, key } = this.options;
    const gauges = await this.send(true);
    for (const part of parts(gauges)) {
      await shared.values.publish(`${key}/tell/${to}`, {
        scrape,
        from: this.id,
        gauges: part as unknown as Json,
      });
    }
  }

  private heard(message: Json): void {
    const { scrape, from, gauges } = message as unknown as {
      readonly scrape: number;
      readonly from: string;
      readonly gauges: readonly GaugeEntry[];
    };
    const answers = this.scrapes.get(scrape); // gone where the answer is late
    if (answers === undefined) return;
    answers.set(from, [...(answers.get(from) ?? []), ...gauges]);
  }

  private async sendNow(isWhole: boolean): Promise<readonly GaugeEntry[]> {
    const { ledger, sources, slowSources } = this.options;
    const asked = isWhole ? [...sources, ...slowSources] : sources;
    const readings = await Promise.all(asked.map((source) => this.read(source)));
    if (isWhole) this.families = readings.flatMap(({ families }) => families);
    const grown = this.growth.of(readings.flatMap(({ totals }) => totals.filter(areFinite)));
    const gains = [...ledger.take(), ...grown];
    for (let at = 0; at < gains.length; at += BATCH) await this.add(gains.slice(at, at + BATCH));
    return readings.flatMap(({ gauges }) => gauges.filter(([, value]) => Number.isFinite(value)));
  }

  /** What a source says; one that fails says nothing, and does not keep the others from speaking. */
  private async read(source: Source): Promise<Reading> {
    try {
      return await source();
    } catch (error) {
      this.options.log.error("a metric could not be read", { error });
      return { families: [], totals: [], gauges: [] };
    }
  }

  /** Adds to the totals. Where there is no room for new series, those that are there are still counted. */
  private async add(gains: readonly Total[]): Promise<void> {
    const { shared, key, log } = this.options;
    try {
      await shared.totals.add(key, gains);
    } catch (error) {
      const isFull = FrameworkError.is(error) && error.code === "CORE_SHARED_STATE_FULL";
      if (!isFull) return log.error("increments of metrics were lost", { error }); // sent again, they might be counted twice
      if (gains.length === 1) return log.warn("a series of metrics has no room", { series: gains[0]?.[0] });
      const half = gains.length >> 1;
      await this.add(gains.slice(0, half));
      await this.add(gains.slice(half));
    }
  }
}

const areFinite = ([, numbers]: Total): boolean => numbers.every(Number.isFinite);

/** Gauges in messages that the shared state takes; one at least, which says that the worker is there. */
const parts = (gauges: readonly GaugeEntry[]): (readonly GaugeEntry[])[] => {
  const messages: GaugeEntry[][] = [[]];
  let size = 0;
  for (const entry of gauges) {
    const length = JSON.stringify(entry).length + 1;
    if (size + length > MESSAGE) {
      messages.push([]);
      size = 0;
    }
    size += length;
    messages.at(-1)?.push(entry);
  }
  return messages;
};
