import type { Awaitable } from "@framework/core";
import type { StoredReply } from "./cache-store.ts";
import type { Clock } from "@framework/core/feature";

/** What a call that others waited for gave them. */
export interface Landing {
  /** Key that the reply is stored under. */
  readonly key: string;
  /** Request fields that the reply depends on. */
  readonly names: readonly string[];
  readonly entry: StoredReply;
  /** How whoever takes it is answered. */
  readonly how: "HIT" | "REVALIDATED" | "STALE";
}

/**
 * What those who wait are told: a reply; `"again"` when what was dropped meanwhile made it too old to share; `null` when it cannot be shared at all or
 * is late, so that they go on by themselves, at once.
 */
export type Landed = Landing | "again" | null;

/** How long others wait, and what is remembered. */
export interface FlightsOptions {
  readonly clock: Clock;
  /** Milliseconds that others wait for a call at most. */
  readonly waitMs: number;
}

/** Keys of which it is remembered that their replies cannot be shared, and for how long. */
const maxUnshareable = 1000;
const unshareableMs = 10_000;
/** Calls that are remembered for those who were looking into the store while they ended. */
const maxLanded = 1000;

/** One call for each key: whoever asks for the same key meanwhile waits for it, and takes the reply if it may be shared. */
export class Flights {
  private readonly flying = new Map<string, Flight>();
  private readonly unshareable = new Map<string, number>();
  /** Calls that ended while somebody was looking into the store, by key. */
  private readonly landed = new Map<string, { readonly landing: Landing; readonly number: number }>();
  private landings = 0;
  private looking = 0;
  private readonly options: FlightsOptions;

  constructor(options: FlightsOptions) {
    this.options = options;
  }

  /** The call for a key that may be waited for. */
  to(key: string): Flight | undefined {
    const flight = this.flying.get(key);
    return flight === undefined || flight.isLate ? undefined : flight;
  }

  /** Begins a call for a key. */
  start(key: string): Flight {
    const { clock, waitMs } = this.options;
    const flight: Flight = new Flight(clock, waitMs, (landed) => {
      if (this.flying.get(key) === flight) this.flying.delete(key);
      if (this.looking > 0 && landed !== null && landed !== "again") this.noteLanding(key, landed);
    });
    this.flying.set(key, flight);
    return flight;
  }

  /**
   * Remembers calls that end while `finding`, a look into a store that takes its time, is on its way: what it finds may be older than they are.
   *
   * @param use gets what was found, and the call for the key of that, in one step: whoever comes next sees what `use` began
   */
  during<T extends { readonly key: string }, U>(
    finding: Promise<T>,
    use: (found: T, missed: Landing | undefined) => Awaitable<U>,
  ): Promise<U> {
    const since = this.landings;
    this.looking++;
    const leave = (): void => {
      if (--this.looking === 0) this.landed.clear();
    };
    return finding.then(
      (found) => {
        const last = this.landed.get(found.key);
        try {
          return use(found, last !== undefined && last.number > since ? last.landing : undefined);
        } finally {
          leave();
        }
      },
      (error: unknown) => {
        leave();
        throw error;
      },
    );
  }

  /** Whether the last reply for a key could not be shared: waiting for the next would only queue the clients. */
  isUnshareable(key: string): boolean {
    const until = this.unshareable.get(key);
    return until !== undefined && until > this.options.clock.now();
  }

  noteUnshareable(key: string): void {
    this.unshareable.delete(key);
    this.unshareable.set(key, this.options.clock.now() + unshareableMs);
    if (this.unshareable.size <= maxUnshareable) return;
    const [oldest] = this.unshareable.keys();
    if (oldest !== undefined) this.unshareable.delete(oldest);
  }

  noteShareable(key: string): void {
    this.unshareable.delete(key);
  }

  private noteLanding(key: string, landing: Landing): void {
    this.landed.delete(key);
    this.landed.set(key, { landing, number: ++this.landings });
    if (this.landed.size <= maxLanded) return;
    const [oldest] = this.landed.keys();
    if (oldest !== undefined) this.landed.delete(oldest);
  }
}

/** One call that others may wait for. */
export class Flight {
  private readonly clock: Clock;
  private readonly endMs: number;
  private readonly ended: (landed: Landed) => void;
  private waiting: PromiseWithResolvers<Landed> | null = null;
  private cancel: (() => void) | null = null;

  constructor(clock: Clock, waitMs: number, ended: (landed: Landed) => void) {
    this.clock = clock;
    this.endMs = clock.now() + waitMs;
    this.ended = ended;
  }

  get isLate(): boolean {
    return this.clock.now() >= this.endMs;
  }

  /** Waits for the end of the call, at most as long as a call may be waited for. */
  landing(): Promise<Landed> {
    if (this.waiting !== null) return this.waiting.promise;
    const waiting = Promise.withResolvers<Landed>();
    this.waiting = waiting;
    this.cancel = this.clock.after(Math.max(0, this.endMs - this.clock.now()), () => waiting.resolve(null));
    return waiting.promise;
  }

  /** Ends the call; only the first end counts. */
  land(landing: Landed): void {
    this.ended(landing);
    this.cancel?.();
    this.waiting?.resolve(landing);
  }
}
