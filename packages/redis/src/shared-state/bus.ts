// Members, messages and confirmations are one protocol, kept in one file.
import { randomUUID } from "node:crypto";
import type { Awaitable, Logger } from "@framework/core";
import { type Json, Subscriptions, systemClock } from "@framework/core/feature";
import { Script } from "../client/script.ts";
import type { RedisSource } from "../redis-source.ts";
import { SubscriberLine } from "./subscriber-line.ts";

/** Interval of heartbeats, and lifetime of a membership, in milliseconds. */
const BEAT_MS = 2000;
const MEMBER_MS = 6000;
/** Delays of retransmissions to members without confirmation, in milliseconds: their connection may have been interrupted. */
const AGAIN_MS = [150, 400, 700];
/** Remembered messages, so that a retransmission runs once. */
const REMEMBERED = 10_000;
/** Maximum unconfirmed messages of one process. */
const MAX_OPEN = 10_000;

/** Options of a bus. */
export interface BusOptions {
  readonly source: RedisSource;
  readonly name: string;
  readonly timeoutMs: number;
  readonly log: Pick<Logger, "error">;
}

/** KEYS: the members by the end of their time. ARGV: who, milliseconds. Those whose time is over are taken out. */
const beat = new Script(`
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], 60000)
return 1
`);

/** Sent whole each time: sent by its digest, a message whose script is not known would come after the next one. */
const PUBLISH = `redis.call('PUBLISH', ARGV[1], ARGV[2]) return redis.call('ZRANGE', KEYS[1], 0, -1)`;

type Envelope =
  | readonly ["message", from: string, id: number, channel: string, text: string]
  | readonly ["done", from: string, id: number];

interface Open {
  /** Members without confirmation; `null` until the recipients are known. */
  missing: Set<string> | null;
  /** Members that confirmed before the recipients were known. */
  readonly early: Set<string>;
  readonly done: () => void;
}

/**
 * Messages to every process that uses one Redis, each confirmed.
 *
 * All subscribe to a common channel and to one of their own. A message is published to all and retransmitted to members without confirmation, until
 * all have confirmed or the timeout. A dead process stays a member for 6 s at most.
 */
export class Bus {
  readonly #options: BusOptions;
  readonly #id = randomUUID();
  readonly #subscriptions: Subscriptions;
  readonly #open = new Map<number, Open>();
  /** Messages that ran or run, by sender and number; `true` once all subscribers are through. */
  readonly #heard = new Map<string, boolean>();
  #line: SubscriberLine | null = null;
  #joining: Promise<void> | null = null;
  #beat: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: BusOptions) {
    this.#options = options;
    const { timeoutMs: limitMs, log } = options;
    this.#subscriptions = new Subscriptions({ limitMs, clock: systemClock, log });
  }

  /** The way into the bus; `null` where nobody has asked for it, and once it is done. Rejects when it takes too long, which the next call tries anew. */
  get joining(): Promise<void> | null {
    return this.#joining;
  }

  subscribe(channel: string, listener: (message: Json) => Awaitable<void>): () => void {
    const remove = this.#subscriptions.add(channel, listener);
    this.#join();
    return () => void remove();
  }

  /** Resolves when every member has confirmed the message, or at the timeout. */
  async publish(channel: string, text: string): Promise<void> {
    this.#join();
    if (this.#joining !== null) await this.#joining;
    if (this.#open.size >= MAX_OPEN) throw new Error(`${MAX_OPEN} messages are unconfirmed already`);
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<void>();
    const open: Open = { missing: null, early: new Set(), done: resolve };
    this.#open.set(id, open);
    const envelope = JSON.stringify(["message", this.#id, id, channel, text] satisfies Envelope);
    const timers = AGAIN_MS.map((afterMs) => setTimeout(() => this.#again(open, envelope), afterMs));
    timers.push(setTimeout(resolve, this.#options.timeoutMs));
    try {
      const { redis } = this.#options.source;
      const members = (await redis.eval(
        PUBLISH,
        1,
        this.#membersKey,
        this.#allChannel,
        envelope,
      )) as readonly string[];
      open.missing = new Set(members.filter((member) => !open.early.has(member)));
      if (open.missing.size > 0) await promise;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.#open.delete(id);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#beat);
    this.#line?.close();
    for (const { done } of this.#open.values()) done();
    if (this.#line !== null)
      await this.#options.source.redis.zrem(this.#membersKey, this.#id).catch(() => {}); // it is taken out in seconds anyway
  }

  #join(): void {
    if (this.#line !== null || this.#isClosed) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { source, timeoutMs } = this.#options;
    promise.catch(() => {}); // concurrent callers get the error
    this.#joining = promise;
    const late = setTimeout(
      () => reject(new Error("no connection for messages was opened in time")),
      2 * timeoutMs,
    );
    late.unref();
    this.#line = new SubscriberLine({
      client: () => source.redis,
      channels: [this.#allChannel, this.#channelOf(this.#id)],
      receive: (text) => this.#receive(text),
      timeoutMs,
      joined: () => {
        clearTimeout(this.#beat);
        this.#member().then(() => {
          clearTimeout(late);
          resolve();
          this.#joining = null;
        }, reject);
      },
    });
    this.#line.open();
  }

  /** Registers this process as a member and renews the membership. */
  async #member(): Promise<void> {
    this.#beat = setTimeout(() => void this.#member().catch(() => {}), BEAT_MS); // after a failure the next one may succeed
    this.#beat.unref();
    await beat.run(this.#options.source.redis, [this.#membersKey], [this.#id, MEMBER_MS]);
  }

  #again({ missing }: Open, envelope: string): void {
    for (const member of missing ?? []) this.#send(member, envelope);
  }

  #send(member: string, envelope: string): void {
    this.#options.source.redis.publish(this.#channelOf(member), envelope).catch(() => {}); // sent again, or given up when the time is over
  }

  #receive(envelope: string): void {
    const [kind, from, id, channel, text] = JSON.parse(envelope) as Envelope;
    if (kind === "done") return this.#confirmed(from, id);
    const name = `${from} ${id}`;
    const known = this.#heard.get(name);
    if (known === false) return; // it is running, and is confirmed when it is through
    const confirm = (): void => {
      this.#remember(name, true);
      this.#send(from, JSON.stringify(["done", this.#id, id] satisfies Envelope));
    };
    if (known === true) return confirm();
    this.#remember(name, false);
    void this.#subscriptions.emit(channel, text).then(confirm);
  }

  #confirmed(member: string, id: number): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    if (open.missing === null) open.early.add(member);
    else if (open.missing.delete(member) && open.missing.size === 0) open.done();
  }

  #remember(name: string, isDone: boolean): void {
    this.#heard.set(name, isDone);
    if (this.#heard.size <= REMEMBERED) return;
    const [oldest] = this.#heard.keys();
    if (oldest !== undefined) this.#heard.delete(oldest);
  }

  /** ioredis puts the prefix of a client before keys alone. */
  get #prefix(): string {
    return this.#options.source.redis.options.keyPrefix ?? "";
  }

  get #membersKey(): string {
    return `${this.#options.name}:members`;
  }

  get #allChannel(): string {
    return `${this.#prefix}${this.#options.name}:bus`;
  }

  #channelOf(member: string): string {
    return `${this.#prefix}${this.#options.name}:bus:${member}`;
  }
}
