import { FrameworkError } from "@framework/core";
import type { Json, SharedValues } from "@framework/core/feature";
import type { GuardedStore } from "../store/guarded-store.ts";
import type { Invalidations } from "./invalidations.ts";

const channel = "cache:drop";
const countTtlMs = 60_000;
/** Characters of tags in one message; a message of the shared state may have 64 KiB as JSON. */
const maxMessageCharacters = 8192;

/** What workers tell each other: the tags, and the counter to which each adds what it had. */
type DropMessage = { readonly counter: string | null; readonly tags: readonly string[] };

/** What a drop works on. */
export interface PurgesParts {
  readonly store: GuardedStore;
  readonly invalidations: Invalidations;
}

/** Drops by tag in every worker. */
export class Purges {
  private readonly parts: PurgesParts;
  private values: SharedValues | null = null;
  private unsubscribe: (() => void) | null = null;

  constructor(parts: PurgesParts) {
    this.parts = parts;
  }

  /** Listens for drops; resolves when none can be missed any more. */
  async start(values: SharedValues): Promise<void> {
    this.values = values;
    this.unsubscribe = values.subscribe(channel, (message) => this.obey(message));
    await values.get(channel); // messages to the primary keep their order: once this is answered, the subscription stands
  }

  stop(): void {
    this.unsubscribe?.();
    this.unsubscribe = null;
    this.values = null;
  }

  /**
   * Drops everything that carries one of the tags, in every worker. Resolves with the number of replies, once no worker serves or stores them any more.
   *
   * @throws CACHE_NOT_STARTED; CACHE_STORE_UNAVAILABLE; CORE_SHARED_STATE_UNAVAILABLE, after this worker has dropped
   */
  async drop(tags: readonly string[]): Promise<number> {
    let dropped = 0;
    for (const part of messagesOf(tags)) dropped += await this.dropCounted(part);
    return dropped;
  }

  /** Drops what carries the tag, in every worker, without counting. @throws what `drop` throws */
  async dropOne(tag: string): Promise<void> {
    await this.tell({ counter: null, tags: [tag] });
  }

  private async dropCounted(tags: readonly string[]): Promise<number> {
    const counter = `cache:dropped:${crypto.randomUUID()}`;
    const dropped = await this.tell({ counter, tags });
    if (dropped !== null || this.values === null) return dropped ?? 0;
    const counted = await this.values.get(counter);
    if (typeof counted !== "number") return 0;
    await this.values.delete(counter);
    return counted;
  }

  /** Tells every worker, and empties a store that is one for all: `null` where each worker has counted for itself. */
  private async tell(message: DropMessage): Promise<number | null> {
    const { values } = this;
    const { store } = this.parts;
    if (values === null)
      throw new FrameworkError(
        "CACHE_NOT_STARTED",
        "cache: replies can be dropped from start to stop of the app",
      );
    const told = values.publish(channel, message).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    const failure = await told;
    if (failure !== null) await this.dropHere(message.tags);
    const dropped = store.shared ? await store.drop(message.tags) : null;
    if (failure !== null) throw failure.error;
    return dropped;
  }

  private async obey(message: Json): Promise<void> {
    const { counter, tags } = message as unknown as DropMessage;
    const dropped = await this.dropHere(tags);
    if (counter !== null && dropped > 0) await this.values?.add(counter, dropped, { ttlMs: countTtlMs });
  }

  /** A store of all workers is emptied by the one who asked; here only what this worker computed meanwhile is kept out of it. */
  private async dropHere(tags: readonly string[]): Promise<number> {
    const { store, invalidations } = this.parts;
    invalidations.note(tags);
    if (!store.shared) return store.drop(tags);
    await store.written();
    return 0;
  }
}

/** Tags in as few messages as they fit. */
const messagesOf = (tags: readonly string[]): readonly (readonly string[])[] => {
  const messages: string[][] = [];
  let room = 0;
  for (const tag of tags) {
    room -= tag.length;
    if (room < 0) {
      messages.push([]);
      room = maxMessageCharacters - tag.length;
    }
    messages.at(-1)?.push(tag);
  }
  return messages;
};
