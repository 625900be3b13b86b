import type { Json } from "@framework/core/feature";
import type { Transaction } from "@framework/database";
import type { KernelBase } from "../base/kernel-base.ts";
import type { KernelPart } from "../base/kernel-life.ts";
import { Coalesced } from "./coalesced.ts";

/** Minimum time between two messages of a channel to other processes. */
const EVERY_MS = 10;

/** Pause before the next attempt to listen, after the database has rejected one. */
const LISTEN_AGAIN_MS = 30_000;

/** Name of the channel of PostgreSQL notifications, and of the channel of messages between workers. */
const NAME = "framework_durable";

/**
 * Notifies the processes of a database of new work, so that they need not wait for their next poll. Signals may be lost or spurious, so receivers must
 * also poll.
 *
 * A signal reaches listeners of this process at once, other workers of the service through the shared state, and other hosts through a PostgreSQL
 * notification. The notification is never sent in a writer's transaction, because that would serialise commits. It is sent even if no other process runs
 * lanes: processes that only wait for a view or an item are not registered, and a process may start to listen at any time. Messages are coalesced, to at
 * most 100 statements a second per channel.
 */
export class WakeUp implements KernelPart {
  readonly name = "wake-up";
  private readonly base: KernelBase;
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly toOthers: Coalesced;
  private readonly ends: (() => unknown)[] = [];
  private cancelListen = (): void => {};
  private readonly stopping = new AbortController();

  constructor(base: KernelBase) {
    this.base = base;
    this.toOthers = new Coalesced({
      clock: base.clock,
      everyMs: EVERY_MS,
      send: (channel) => this.sendToOthers(channel),
    });
  }

  /** Calls `listener` for every signal of a channel, from any process. Returns a function that unsubscribes. */
  on(channel: string, listener: () => void): () => void {
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(channel);
    };
  }

  /** Signals a channel, whose name has at most 200 characters. Call it after the commit of the work. */
  signal(channel: string): void {
    this.wake(channel);
    this.toOthers.send(channel);
  }

  /** Signals a channel once a transaction has committed. */
  signalAfter(tx: Transaction, channel: string): void {
    tx.onCommit(() => this.signal(channel));
  }

  begin(): void {
    const { shared } = this.base;
    if (shared !== null) this.ends.push(shared.subscribe(NAME, (message) => this.onMessage(message)));
    void this.listen();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.toOthers.end();
    this.cancelListen();
    await Promise.all(this.ends.map((end) => end()));
  }

  /** If the database is unavailable or a pooler does not support LISTEN, wake-ups are only slower. */
  private async listen(): Promise<void> {
    const { db, clock } = this.base;
    if (db.dialect !== "postgres" || this.stopping.signal.aborted) return;
    try {
      const onGap = (): void => this.wakeAll();
      const end = await db.listen(NAME, (payload) => this.onNotification(payload), { onGap });
      if (this.stopping.signal.aborted) await end();
      else this.ends.push(end);
      this.wakeAll(); // signals sent before LISTEN was active are missed
    } catch {
      this.cancelListen = clock.after(LISTEN_AGAIN_MS, () => this.listen());
    }
  }

  /** @param payload the sender's id and the channel, separated by a space */
  private onNotification(payload: string): void {
    const space = payload.indexOf(" ");
    this.onMessage([payload.slice(0, space), payload.slice(space + 1)]);
  }

  private onMessage(message: Json): void {
    if (!Array.isArray(message)) return;
    const [from, channel] = message as readonly Json[];
    if (from !== this.base.id && typeof channel === "string") this.wake(channel);
  }

  private wake(channel: string): void {
    for (const listener of this.listeners.get(channel) ?? []) listener();
  }

  private wakeAll(): void {
    for (const channel of this.listeners.keys()) this.wake(channel);
  }

  private async sendToOthers(channel: string): Promise<void> {
    const { id, db, shared } = this.base;
    await Promise.allSettled([
      shared?.publish(NAME, [id, channel]),
      db.dialect === "postgres" ? db.notify(NAME, `${id} ${channel}`) : null,
    ]);
  }
}
