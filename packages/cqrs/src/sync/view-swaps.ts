import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { EventStore } from "@framework/event-sourcing";

/** Polling intervals: while a version is being built, and otherwise. */
const BUILDING_MS = 250;
const IDLE_MS = 10_000;

/** Dependencies of `ViewSwaps`. */
export interface ViewSwapsParts {
  readonly eventStore: () => EventStore | null;
  /** Called with the names of projections whose live version has changed. */
  readonly onSwapped: (names: ReadonlySet<string>) => Promise<void>;
  readonly clock: Clock;
  readonly log: () => Logger;
}

/** Polls for projections whose live version any process has changed. */
export class ViewSwaps {
  private readonly parts: ViewSwapsParts;
  private live: ReadonlyMap<string, number> = new Map();
  private polling: Promise<void> = Promise.resolve();
  private cancel = (): void => {};
  private hasEnded = false;

  constructor(parts: ViewSwapsParts) {
    this.parts = parts;
  }

  /** Records the live versions, and starts polling. */
  async begin(): Promise<void> {
    const pauseMs = await this.poll();
    this.schedule(pauseMs);
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancel();
    await this.polling;
  }

  private schedule(pauseMs: number): void {
    if (this.hasEnded) return;
    this.cancel = this.parts.clock.after(pauseMs, () => {
      this.polling = this.pollAgain();
    });
  }

  private async pollAgain(): Promise<void> {
    let pauseMs = IDLE_MS;
    try {
      pauseMs = await this.poll();
    } catch (error) {
      this.parts.log().warn("cqrs: the versions of projections could not be read", { error });
    }
    this.schedule(pauseMs);
  }

  /** Resolves to the pause before the next poll, in milliseconds. */
  private async poll(): Promise<number> {
    const versions = (await this.parts.eventStore()?.projections.status()) ?? [];
    const live = new Map(
      versions.filter(({ status }) => status === "live").map(({ name, version }) => [name, version]),
    );
    const changes = [...live].filter(([name, version]) => (this.live.get(name) ?? version) !== version);
    if (changes.length > 0) await this.parts.onSwapped(new Set(changes.map(([name]) => name)));
    this.live = live;
    return versions.some(({ status }) => status === "building") ? BUILDING_MS : IDLE_MS;
  }
}
