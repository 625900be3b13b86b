import type { Client, Notification } from "pg";
import { databaseClosed } from "../database-errors.ts";
import { postgresError } from "./postgres-errors.ts";

interface Subscription {
  readonly call: (payload: string) => void;
  readonly onGap: () => void;
}

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;

/** Notifications over a dedicated connection, which is replaced when it breaks and listens to all channels again. */
export class Listener {
  private readonly connect: () => Promise<Client>;
  private readonly channels = new Map<string, Set<Subscription>>();
  private client: Promise<Client> | null = null;
  private retry: NodeJS.Timeout | null = null;
  private pauseMs = MIN_PAUSE_MS;
  private closed = false;

  constructor(connect: () => Promise<Client>) {
    this.connect = connect;
  }

  /** `call` and `onGap` must not throw. */
  async add(
    channel: string,
    call: (payload: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>> {
    if (this.closed) throw databaseClosed();
    const subscription: Subscription = { call, onGap };
    const known = this.channels.get(channel);
    this.channels.set(channel, (known ?? new Set()).add(subscription));
    try {
      const client = await this.connected();
      await client.query(`LISTEN ${quoteChannel(channel)}`); // repeating it is harmless
    } catch (error) {
      await this.remove(channel, subscription);
      throw postgresError(error, "LISTEN");
    }
    return () => this.remove(channel, subscription);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.retry !== null) clearTimeout(this.retry);
    const client = await this.client?.catch(() => null);
    await client?.end().catch(() => {});
  }

  private async remove(channel: string, subscription: Subscription): Promise<void> {
    const subscriptions = this.channels.get(channel);
    if (subscriptions?.delete(subscription) !== true || subscriptions.size > 0) return;
    this.channels.delete(channel);
    const client = await this.client?.catch(() => null);
    if (this.channels.has(channel)) return; // another listener was added meanwhile
    await client?.query(`UNLISTEN ${quoteChannel(channel)}`).catch(() => {}); // a broken connection does not listen anyway
  }

  private connected(): Promise<Client> {
    this.client ??= this.open();
    return this.client;
  }

  private async open(): Promise<Client> {
    let client: Client | null = null;
    try {
      client = await this.connect();
      client.on("notification", (note) => this.deliver(note));
      for (const channel of this.channels.keys()) await client.query(`LISTEN ${quoteChannel(channel)}`);
      client.once("end", () => this.scheduleReconnect());
      this.pauseMs = MIN_PAUSE_MS;
      return client;
    } catch (error) {
      this.client = null;
      client?.end().catch(() => {}); // the server refused to listen, as a standby does
      throw error;
    }
  }

  private deliver({ channel, payload }: Notification): void {
    for (const { call } of present(this.channels.get(channel))) call(payload ?? "");
  }

  private scheduleReconnect(): void {
    this.client = null;
    if (this.closed || this.channels.size === 0) return;
    this.retry = setTimeout(() => void this.reconnect(), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, MAX_PAUSE_MS);
  }

  private async reconnect(): Promise<void> {
    try {
      await this.connected();
    } catch {
      this.scheduleReconnect();
      return;
    }
    const channels = [...this.channels.values()]; // a copy, because `onGap` may listen to other channels
    for (const subscriptions of channels) for (const { onGap } of present(subscriptions)) onGap();
  }
}

/** Yields the subscriptions that exist now, except those that a callback ends meanwhile: a callback may add and end subscriptions. */
function* present(subscriptions: ReadonlySet<Subscription> = new Set()): Generator<Subscription> {
  const copy = [...subscriptions];
  for (const subscription of copy) if (subscriptions.has(subscription)) yield subscription;
}

const quoteChannel = (channel: string): string => `"${channel}"`; // its characters are validated
