import { FrameworkError } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { ConfirmChannel, Message } from "amqplib";
import type { Link } from "../connection/link.ts";
import { FORBIDDEN, reasonOf, replyCode, unavailable } from "../connection/server-error.ts";
import type { DelayedTo } from "../topology/delay-queues.ts";
import { Abandonable } from "./abandonable.ts";
import { type Pending, PendingMessages } from "./pending-messages.ts";
import type { Publication } from "./publication.ts";
import { refused, timedOut } from "./send-errors.ts";

/** Dependencies of `ConfirmLane`. */
export interface ConfirmLaneParts {
  readonly link: Link;
  readonly clock: Clock;
  /** Maximum unanswered messages of the channel. */
  readonly maxPending: number;
  /** Time in milliseconds without an answer after which a channel counts as stuck; a message with a shorter time limit does not prove that. */
  readonly stuckMs: number;
  /** Called when the server or the network has closed the channel. */
  readonly onLost: () => void;
  /** Called with the targets of all waiting messages when the channel is stuck: one has timed out, and nothing was confirmed since it was published. */
  readonly onStuck: (targets: readonly DelayedTo[]) => void;
  /** Called when the server has confirmed or refused a message. */
  readonly onAnswered?: () => void;
}

/** Time in milliseconds that the server has to open another channel after a stuck one. */
const ANSWER_MS = 2000;

/** A confirm channel with its unconfirmed messages. Opened again after it was closed. */
export class ConfirmLane {
  private readonly parts: ConfirmLaneParts;
  private channel: ConfirmChannel | null = null;
  private opening: Promise<ConfirmChannel> | null = null;
  /** Resolves when the channel has room; `null` while it has. */
  private full: PromiseWithResolvers<void> | null = null;
  private confirmed = 0;
  /** Unanswered messages of the channel, including abandoned ones: the server stops reading a connection with hundreds of them. */
  private unanswered = 0;
  /** Time at which the oldest unanswered message was published; `null` for none. */
  private unansweredFrom: number | null = null;
  private readonly pending = new PendingMessages();
  private readonly abandonable = new Abandonable<Pending>((pending) => this.abandon(pending));
  /** The server's reason for closing a channel, which amqplib does not pass to unconfirmed messages. */
  private readonly closedBy = new WeakMap<ConfirmChannel, Error>();

  constructor(parts: ConfirmLaneParts) {
    this.parts = parts;
  }

  /** The open channel; `null` without one. */
  get current(): ConfirmChannel | null {
    return this.channel;
  }

  private get isBounded(): boolean {
    return this.parts.maxPending !== Infinity;
  }

  get isFull(): boolean {
    return this.full !== null;
  }

  /** Resolves when the channel has room again, or has ended. */
  async whenRoom(): Promise<void> {
    await this.full?.promise;
  }

  /** Returns the channel; opens it if needed. Concurrent calls share an attempt. @throws RABBITMQ_UNAVAILABLE */
  async open(): Promise<ConfirmChannel> {
    return this.channel ?? (await (this.opening ??= this.connect().finally(() => (this.opening = null))));
  }

  /** Publishes a message on the channel. Resolves when the server has confirmed it. */
  async publish(
    channel: ConfirmChannel,
    to: DelayedTo,
    { content, options }: Publication,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) throw timedOut(this.parts.link, null);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = options.messageId ?? "";
    const { confirmed: confirmedBefore } = this;
    const pending: Pending = { id, to, channel, resolve, reject, confirmedBefore, isReturned: false };
    this.pending.add(pending);
    this.abandonable.add(signal, pending);
    try {
      const hasRoom = channel.publish(to.exchange, to.routingKey, content, options, (error: unknown) =>
        this.answered(pending, this.explained(channel, error)),
      );
      this.unanswered++; // after `publish`, which throws if amqplib cannot write the message
      this.unansweredFrom ??= this.parts.clock.now();
      if (!hasRoom || this.unanswered >= this.parts.maxPending) this.full ??= Promise.withResolvers();
      await promise;
    } finally {
      this.abandonable.remove(signal, pending);
      this.pending.remove(pending);
    }
  }

  /** Closes the channel; its unconfirmed messages fail. */
  end(): void {
    const { channel } = this;
    if (channel === null) return;
    this.channel = null;
    this.parts.link.trackClosing(channel.close().catch(() => {})); // closed meanwhile
    this.release();
  }

  private answered(pending: Pending, error: unknown): void {
    if (pending.channel === this.channel) this.unanswered--;
    if (this.isBounded && this.unanswered < this.parts.maxPending) this.release();
    const { exchange } = pending.to;
    if (error === null || error === undefined) {
      this.count(pending);
      if (!pending.isReturned) pending.resolve();
      else {
        const where =
          exchange === "" ? "its queue does not exist" : `no queue is bound to the exchange ${exchange}`;
        pending.reject(
          new FrameworkError("RABBITMQ_UNROUTABLE", `rabbitmq: the message was returned: ${where}`),
        );
      }
      return;
    }
    if (replyCode(error) === FORBIDDEN && reasonOf(error).includes(`exchange '${exchange}'`))
      return pending.reject(refused(reasonOf(error), error)); // only messages to this exchange were refused
    if (reasonOf(error) !== "message nacked") return pending.reject(unavailable(reasonOf(error), error));
    this.count(pending);
    pending.reject(refused("a queue rejected it", error));
  }

  /** Counts an answer if it is from the current channel. */
  private count({ channel }: Pending): void {
    if (channel !== this.channel) return;
    this.confirmed++;
    this.unansweredFrom = null;
    this.parts.onAnswered?.();
  }

  /** Returns the server's reason if it has closed the channel, else the error. */
  private explained(channel: ConfirmChannel, error: unknown): unknown {
    return error === null || error === undefined ? error : (this.closedBy.get(channel) ?? error);
  }

  /**
   * Fails a message at its time limit. A leaderless queue blocks its whole channel at the server: if the channel has confirmed nothing since the message was
   * published, all its waiting messages move to other channels.
   */
  private abandon(pending: Pending): void {
    pending.reject(timedOut(this.parts.link, null));
    this.checkStuck(pending);
  }

  /** Replaces the channel of a message if it is stuck, unless the server blocks publishers. */
  private checkStuck(pending: Pending): void {
    const { link, clock, stuckMs } = this.parts;
    if (pending.channel !== this.channel || pending.confirmedBefore !== this.confirmed) return;
    const leftMs = stuckMs - (clock.now() - (this.unansweredFrom ?? clock.now()));
    const isBlocked = link.blockedReason !== null;
    if (leftMs <= 0 && !isBlocked) return this.replaceStuck(pending);
    // A full channel accepts no further message whose timeout would check again.
    if (this.isFull && this.isBounded)
      clock.after(isBlocked ? stuckMs : leftMs, () => this.checkStuck(pending));
  }

  /** Replaces a stuck channel by another one. */
  private replaceStuck({ channel }: Pending): void {
    const waiting = this.pending.of(channel);
    this.parts.onStuck(waiting.map(({ to }) => to));
    this.end();
    this.replace();
    // Deferred, so that messages whose signal aborts at the same time fail with a timeout.
    queueMicrotask(() => {
      for (const each of waiting) each.reject(unavailable("its channel confirmed nothing in time"));
    });
  }

  /** Opens another channel; resets the connection if the server does not respond. */
  private replace(): void {
    const { link, clock } = this.parts;
    const { model } = link;
    if (model === null) return;
    const cancel = clock.after(ANSWER_MS, () => {
      if (link.model === model) link.reset("the server confirmed nothing in time");
    });
    void this.open().then(cancel, cancel);
  }

  private async connect(): Promise<ConfirmChannel> {
    const channel = await (await this.parts.link.openSoon()).createConfirmChannel();
    channel.on("error", (error: Error) => void this.closedBy.set(channel, error)); // "close" follows
    channel.on("return", (message: Message) => this.pending.returned(message));
    if (!this.isBounded) channel.on("drain", () => this.release());
    channel.on("close", () => {
      if (channel !== this.channel) return;
      this.channel = null;
      this.parts.onLost();
      this.release();
    });
    this.channel = channel;
    this.unansweredFrom = null;
    this.unanswered = 0;
    return channel;
  }

  private release(): void {
    this.full?.resolve();
    this.full = null;
  }
}
