import { FrameworkError } from "@framework/core";
import { type Clock, type Json, type SharedValues } from "@framework/core/feature";
import type { GuardedStore } from "../store/guarded-store.ts";
import type { Invalidations } from "./invalidations.ts";

const CHANNEL = "cache:drop";
const COUNT_TTL_MS = 60_000;
/** Delay before a failed `clear` is retried; the store has logged the error. */
const CLEAR_RETRY_MS = 1000;
/** Maximum number of characters of tags in one message; the shared state limits messages to 64 KiB of JSON. */
const MAX_MESSAGE_CHARACTERS = 8192;

/** A message between workers: the tags, and the counter to which each worker adds its dropped replies. */
type DropMessage = { readonly counter: string | null; readonly tags: readonly string[] };

/** Dependencies of `Purges`. */
export interface PurgesParts {
  readonly store: GuardedStore;
  readonly invalidations: Invalidations;
  readonly clock: Pick<Clock, "after">;
}

/** Drops stored replies by tag in every worker. */
export class Purges {
  private readonly parts: PurgesParts;
  private values: SharedValues | null = null;
  private unsubscribe: (() => void) | null = null;
  /** Number of pending `clear` calls. */
  private clearing = 0;
  /** The failure of this worker's store for each pending counted drop, by counter; `null` for none. */
  private readonly failures = new Map<string, { readonly error: unknown } | null>();

  constructor(parts: PurgesParts) {
    this.parts = parts;
  }

  /** Subscribes to drops; resolves when the subscription is active. */
  async start(values: SharedValues): Promise<void> {
    this.values = values;
    const { store } = this.parts;
    store.isCurrent = () => this.clearing === 0 && values.isConnected();
    this.unsubscribe = values.subscribe(CHANNEL, (message) => this.handleMessage(message), {
      onMissed: () => {
        this.parts.invalidations.noteAll();
        void this.clear();
      },
    });
    await values.get(CHANNEL); // the primary process replies in order, so the subscription is active now
  }

  stop(): void {
    this.unsubscribe?.();
    this.unsubscribe = null;
    this.values = null;
  }

  /**
   * Drops every reply with one of the tags, in every worker. Resolves with the number of dropped replies once no worker serves or stores them.
   *
   * @throws CACHE_NOT_STARTED; CACHE_STORE_UNAVAILABLE; CORE_SHARED_STATE_UNAVAILABLE, after this worker has dropped its replies
   */
  async drop(tags: readonly string[]): Promise<number> {
    let dropped = 0;
    for (const part of messagesOf(tags)) dropped += await this.dropCounted(part);
    return dropped;
  }

  /** Drops replies with tags that fit into one message, in every worker, without counting. @throws the errors of `drop` */
  async dropUncounted(tags: readonly string[]): Promise<void> {
    await this.publish({ counter: null, tags });
  }

  private async dropCounted(tags: readonly string[]): Promise<number> {
    const counter = `cache:dropped:${crypto.randomUUID()}`;
    this.failures.set(counter, null);
    try {
      const dropped = await this.publish({ counter, tags });
      const failure = this.failures.get(counter) ?? null;
      if (failure !== null) throw failure.error;
      return dropped ?? (await this.countOf(counter));
    } finally {
      this.failures.delete(counter);
    }
  }

  /** Returns the number of replies that all workers have counted. */
  private async countOf(counter: string): Promise<number> {
    if (this.values === null) return 0;
    const counted = await this.values.get(counter);
    if (typeof counted !== "number") return 0;
    await this.values.delete(counter);
    return counted;
  }

  /** Notifies every worker and drops from a shared store; `null` if each worker counts its own store. */
  private async publish(message: DropMessage): Promise<number | null> {
    const { values } = this;
    const { store } = this.parts;
    if (values === null)
      throw new FrameworkError("CACHE_NOT_STARTED", "cache: replies can be dropped only while the app runs");
    // A worker that loses its connection before it confirms drops all its replies itself.
    const published = values.publish(CHANNEL, message).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const failure = await published;
    if (failure !== null) await this.dropHere(message.tags);
    const dropped = store.shared ? await store.drop(message.tags) : null;
    if (failure !== null) throw failure.error;
    return dropped;
  }

  /** Removes all entries of this worker's store, which may have missed a drop or failed to apply one; the store is not used until it is empty. */
  private async clear(): Promise<void> {
    this.clearing++;
    try {
      await this.parts.store.clear();
      this.clearing--;
    } catch {
      this.parts.clock.after(CLEAR_RETRY_MS, () => {
        this.clearing--;
        void this.clear();
      });
    }
  }

  private async handleMessage(message: Json): Promise<void> {
    const { counter, tags } = message as unknown as DropMessage;
    const dropped = await this.dropHere(tags).catch((error: unknown) => {
      if (counter !== null && this.failures.has(counter)) this.failures.set(counter, { error }); // published by this worker
      throw error;
    });
    if (counter !== null && dropped > 0) await this.values?.add(counter, dropped, { ttlMs: COUNT_TTL_MS });
  }

  /** Handles a drop in this worker: drops from its own store, and invalidates pending computations. The calling worker drops from a shared store. */
  private async dropHere(tags: readonly string[]): Promise<number> {
    const { store, invalidations } = this.parts;
    invalidations.note(tags);
    await store.waitForWrites();
    if (store.shared) return 0;
    return store.drop(tags).catch((error: unknown) => {
      if (this.clearing === 0) void this.clear(); // until then its replies, which may be outdated, are not used
      throw error;
    });
  }
}

/** Packs tags into messages, in order. */
const messagesOf = (tags: readonly string[]): readonly (readonly string[])[] => {
  const messages: string[][] = [];
  let room = 0;
  for (const tag of tags) {
    room -= tag.length;
    if (room < 0) {
      messages.push([]);
      room = MAX_MESSAGE_CHARACTERS - tag.length;
    }
    messages.at(-1)?.push(tag);
  }
  return messages;
};
