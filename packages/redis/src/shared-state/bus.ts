// More than 250 lines, because membership, messages and acknowledgements are one protocol.
import type { Awaitable, Logger } from "@framework/core";
import {
  type Clock,
  type Json,
  Subscriptions,
  type SubscribeOptions,
  throttledLog,
} from "@framework/core/feature";
import type { BusLink, MemberList } from "./bus-link.ts";
import { type Envelope, parseEnvelope } from "./envelope.ts";
import { LEASE_MS, MEMBER_MS, Membership } from "./membership.ts";
import { OpenMessage } from "./open-message.ts";

/** Interval of renewals of the membership, and delay after a failed one, in milliseconds. */
const RENEW_MS = 1000;
const RETRY_MS = 200;
/** Milliseconds after the start of the server by which its earlier members, unknown to a new process, have rejoined or lost their lease. */
const settleMs = LEASE_MS;
/** Timeout of a publication, in milliseconds: by then, unreachable members have lost their membership. */
const publishMs = MEMBER_MS + LEASE_MS;
/** Delays of retransmissions to members without an acknowledgement, in milliseconds. A member that rejoins gets its messages immediately. */
const retransmitMs = [150, 400, 1000, 2000, 4000];
/** Maximum number of message ids kept for deduplication of retransmissions. */
const MAX_SEEN = 10_000;
/** Maximum number of unacknowledged messages of one process. */
const MAX_OPEN = 10_000;

/** Options of a bus. */
export interface BusOptions {
  /** Id of this process, unique across processes and their restarts. */
  readonly id: string;
  readonly link: BusLink;
  /** Milliseconds after which a busy subscriber counts as done. */
  readonly subscriberMs: number;
  /** Timeout of the first subscription, in milliseconds. */
  readonly joinMs: number;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly log: Pick<Logger, "error">;
}

/**
 * Acknowledged messages between all processes that share a server, even if it restarts without its data.
 *
 * Every process subscribes to a common channel and to its own, and renews a membership while it is subscribed. A message is published to all, and
 * retransmitted to members without an acknowledgement. A publication ends when each member has acknowledged, or has lost its membership. A process whose
 * subscription was interrupted, or whose membership was not renewed in time, stops counting itself as a member before the publishers stop waiting for it; when
 * it has joined again, it notifies its subscribers that they may have missed messages.
 */
export class Bus {
  private readonly options: BusOptions;
  private readonly subscriptions: Subscriptions;
  private readonly membership = new Membership();
  private readonly open = new Map<number, OpenMessage>();
  /** Received messages, by sender and id; `true` once all subscribers have finished. */
  private readonly received = new Map<string, boolean>();
  private joinInProgress: PromiseWithResolvers<void> | null = null;
  private isOpen = false;
  private isClosed = false;
  /** Number of the subscription; odd while it is active. */
  private subscription = 0;
  private leaseEnd = -Infinity;
  private mayHaveMissed = false;
  private hasJoined = false;
  private settledAt = -Infinity;
  private cancelRenewal: () => void = () => {};
  private lastId = 0;
  private readonly logThrottled: ReturnType<typeof throttledLog>;

  constructor(options: BusOptions) {
    this.options = options;
    const { subscriberMs: limitMs, clock, log } = options;
    this.subscriptions = new Subscriptions({ limitMs, clock, log });
    this.logThrottled = throttledLog({ clock });
  }

  /** The pending first join; `null` before the first use and once it has succeeded. Rejects at the timeout. */
  get joining(): Promise<void> | null {
    return this.joinInProgress?.promise ?? null;
  }

  /** Whether publishers wait for this process; `true` before the first use. */
  get isConnected(): boolean {
    return !this.isOpen || this.options.clock.now() < this.leaseEnd;
  }

  subscribe(
    channel: string,
    listener: (message: Json) => Awaitable<void>,
    options?: SubscribeOptions,
  ): () => void {
    const remove = this.subscriptions.add(channel, listener, options);
    this.join();
    return () => void remove();
  }

  /**
   * Resolves to `true` once every member has acknowledged the message; to `false` if some have lost their membership instead, or if the bus is closed.
   * Rejects at the timeout.
   */
  async publish(channel: string, text: string): Promise<boolean> {
    const { id: from, link, clock } = this.options;
    this.join();
    await this.joining;
    await this.waitUntilSettled();
    if (this.isClosed) return false;
    if (this.open.size >= MAX_OPEN) throw new Error(`${MAX_OPEN} messages are not acknowledged yet`);
    const id = ++this.lastId;
    const envelope = JSON.stringify(["message", from, id, channel, text] satisfies Envelope);
    const message = new OpenMessage(envelope);
    this.open.set(id, message);
    const timers = retransmitMs.map((afterMs) => clock.after(afterMs, () => this.retransmit(message)));
    timers.push(
      clock.after(publishMs, () => message.fail(new Error("a process did not acknowledge a message"))),
    );
    try {
      this.applyList(await link.announce(envelope));
      message.setRecipients([from, ...this.membership.ids]);
      return await message.ended;
    } finally {
      for (const cancel of timers) cancel();
      this.open.delete(id);
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.leaseEnd = -Infinity;
    this.cancelRenewal();
    for (const message of this.open.values()) message.stopWaiting();
    if (!this.isOpen) return;
    const { id, link } = this.options;
    const departure = JSON.stringify(["left", id] satisfies Envelope);
    await Promise.all([link.leave(), link.announce(departure)]).catch(() => {}); // otherwise the membership expires within seconds
    link.close();
  }

  private join(): void {
    if (this.isOpen || this.isClosed) return;
    this.isOpen = true;
    const joining = Promise.withResolvers<void>();
    joining.promise.catch(() => {}); // concurrent callers get the error
    this.joinInProgress = joining;
    const { clock, joinMs, link } = this.options;
    const onTimeout = (): void =>
      joining.reject(new Error("the connection for messages was not opened in time"));
    const cancel = clock.after(joinMs, onTimeout);
    void joining.promise.then(cancel, cancel);
    link.open({
      onMessage: (text) => this.receive(text),
      onSubscribed: () => {
        this.subscription += 1;
        void this.renew();
      },
      onLost: () => {
        this.subscription += 1;
        this.leaseEnd = -Infinity;
        this.mayHaveMissed = true;
      },
    });
  }

  /** Renews the membership of this process while it is subscribed. */
  private async renew(): Promise<void> {
    const { clock, link } = this.options;
    const { subscription } = this;
    const isCurrent = (): boolean =>
      subscription === this.subscription && subscription % 2 === 1 && !this.isClosed;
    this.cancelRenewal();
    const sentAt = clock.now();
    const list = await link.renew(MEMBER_MS).catch(() => null);
    if (!isCurrent()) return;
    if (list !== null) this.applyRenewal(list, sentAt);
    this.cancelRenewal();
    this.cancelRenewal = clock.after(list === null ? RETRY_MS : RENEW_MS, () => {
      if (isCurrent()) void this.renew();
    });
  }

  private applyRenewal(list: MemberList, sentAt: number): void {
    const now = this.options.clock.now();
    const isBack = now >= this.leaseEnd;
    if (!this.hasJoined) this.settledAt = now + Math.max(0, settleMs - list.uptimeMs);
    else if (isBack) this.mayHaveMissed = true; // publishers may have stopped waiting for this process
    this.applyList(list);
    if (this.hasJoined && this.mayHaveMissed) this.subscriptions.emitMissed();
    this.mayHaveMissed = false;
    this.hasJoined = true;
    this.leaseEnd = sentAt + LEASE_MS;
    if (isBack) this.resynchronize();
    this.joinInProgress?.resolve();
    this.joinInProgress = null;
  }

  /** Requests the unacknowledged messages of the other members, and retransmits the messages of this process. */
  private resynchronize(): void {
    const { id, link } = this.options;
    link.announce(JSON.stringify(["hello", id] satisfies Envelope)).catch(() => {}); // retransmissions follow
    for (const message of this.open.values()) this.retransmit(message);
  }

  private async waitUntilSettled(): Promise<void> {
    const { clock } = this.options;
    const leftMs = this.settledAt - clock.now();
    if (leftMs > 0) await new Promise<void>((resolve) => void clock.after(leftMs, resolve));
  }

  /** Applies the server's list; publications stop waiting for processes that are no longer members. */
  private applyList({ rows }: MemberList): void {
    const { expired, departed } = this.membership.update(rows, this.options.clock.now());
    if (expired.length === 0 && departed.length === 0) return;
    for (const message of this.open.values()) {
      for (const member of departed) message.acknowledge(member);
      for (const member of expired) if (member !== this.options.id) message.dropMember(member);
    }
  }

  private retransmit(message: OpenMessage): void {
    for (const member of message.missing) this.send(member, message.envelope);
  }

  private send(member: string, envelope: string): void {
    this.options.link.send(member, envelope).catch(() => {}); // retransmitted, until the timeout
  }

  private receive(text: string): void {
    const envelope = parseEnvelope(text);
    if (envelope === null) return this.logDropped();
    const [kind, from] = envelope;
    if (kind === "message") return this.handle(envelope);
    if (kind === "done") return this.open.get(envelope[2])?.acknowledge(from);
    if (kind === "left") {
      this.membership.remove(from);
      for (const message of this.open.values()) message.acknowledge(from);
    } else if (from !== this.options.id) {
      this.membership.add(from);
      for (const message of this.open.values())
        if (message.missing.has(from)) this.send(from, message.envelope);
    }
  }

  private logDropped(): void {
    this.logThrottled((omitted) =>
      this.options.log.error(
        "redis: dropped a message that another program published on the channel of the shared state; give that program another keyPrefix",
        { omitted },
      ),
    );
  }

  private handle([, from, id, channel, text]: Extract<Envelope, { readonly 0: "message" }>): void {
    const name = `${from} ${id}`;
    const known = this.received.get(name);
    if (known === false) return; // still running; acknowledged when it ends
    const acknowledge = (): void => {
      this.remember(name, true);
      this.send(from, JSON.stringify(["done", this.options.id, id] satisfies Envelope));
    };
    if (known === true) return acknowledge();
    this.remember(name, false);
    void this.subscriptions.emit(channel, text).then(acknowledge);
  }

  private remember(name: string, isDone: boolean): void {
    this.received.set(name, isDone);
    if (this.received.size <= MAX_SEEN) return;
    const [oldest] = this.received.keys();
    if (oldest !== undefined) this.received.delete(oldest);
  }
}
