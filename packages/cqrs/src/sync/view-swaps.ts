import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { EventStore } from "@framework/event-sourcing";

/** Pause between two looks at the projections, while a version is being built and otherwise. */
const BUILDING_MS = 250;
const IDLE_MS = 10_000;

/** Parts of `ViewSwaps`. */
export interface ViewSwapsParts {
  readonly eventStore: () => EventStore | null;
  /** Called with the projections of which another version is live now. */
  readonly swapped: (names: ReadonlySet<string>) => Promise<void>;
  readonly clock: Clock;
  readonly log: () => Logger;
}

/** Notices when a later version of a projection goes live, in whichever process. */
export class ViewSwaps {
  private readonly parts: ViewSwapsParts;
  private live: ReadonlyMap<string, number> = new Map();
  private looking: Promise<void> = Promise.resolve();
  private cancel = (): void => {};
  private hasEnded = false;

  constructor(parts: ViewSwapsParts) {
    this.parts = parts;
  }

  /** Remembers the live versions, and begins to look for others. */
  async begin(): Promise<void> {
    const pauseMs = await this.look();
    this.plan(pauseMs);
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancel();
    await this.looking;
  }

  private plan(pauseMs: number): void {
    if (this.hasEnded) return;
    this.cancel = this.parts.clock.after(pauseMs, () => {
      this.looking = this.lookAgain();
    });
  }

  private async lookAgain(): Promise<void> {
    let pauseMs = IDLE_MS;
    try {
      pauseMs = await this.look();
    } catch (error) {
      this.parts.log().warn("cqrs: the versions of projections could not be read", { error });
    }
    this.plan(pauseMs);
  }

  /** Resolves to the pause until the next look. */
  private async look(): Promise<number> {
    const versions = (await this.parts.eventStore()?.projections.status()) ?? [];
    const live = new Map(
      versions.filter(({ status }) => status === "live").map(({ name, version }) => [name, version]),
    );
    const others = [...live].filter(([name, version]) => (this.live.get(name) ?? version) !== version);
    if (others.length > 0) await this.parts.swapped(new Set(others.map(([name]) => name)));
    this.live = live;
    return versions.some(({ status }) => status === "building") ? BUILDING_MS : IDLE_MS;
  }
}
