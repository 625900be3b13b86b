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

/** What a lane needs. */
export interface ConfirmLaneParts {
  readonly link: Link;
  readonly clock: Clock;
  /** Most messages that the channel has not answered. */
  readonly maxPending: number;
  /** A channel that has answered nothing for so long is stuck, in milliseconds: a message with a shorter time limit proves nothing. */
  readonly stuckMs: number;
  /** Called when the server or the network has closed the channel. */
  readonly onLost: () => void;
  /** Called with the targets of all messages that wait, when one has passed its time limit and the channel has confirmed nothing since it was published. */
  readonly onStuck: (targets: readonly DelayedTo[]) => void;
  /** Called when the server has confirmed or refused a message. */
  readonly onAnswered?: () => void;
}

/** The server has this long to open another channel after one that confirms nothing, in milliseconds. */
const ANSWER_MS = 2000;

/** A confirm channel, opened again when it was closed, with the messages that wait for their confirmation on it. */
export class ConfirmLane {
  private readonly parts: ConfirmLaneParts;
  private channel: ConfirmChannel | null = null;
  private opening: Promise<ConfirmChannel> | null = null;
  /** Present while the channel takes no more. */
  private full: PromiseWithResolvers<void> | null = null;
  private confirmed = 0;
  /** Messages that the channel has not answered, also those whose wait has ended: a connection with hundreds of them is read no further by the server. */
  private unanswered = 0;
  /** When the first message was published that the channel has not answered; `null` for none. */
  private unansweredFrom: number | null = null;
  private readonly pending = new PendingMessages();
  private readonly abandonable = new Abandonable<Pending>((pending) => this.abandon(pending));
  /** Why the server closed a channel: the confirmations that wait on it fail without the reason. */
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

  /** Resolves when the channel takes messages again, or has ended. */
  async whenRoom(): Promise<void> {
    await this.full?.promise;
  }

  /** Returns the channel. Calls at the same time share an attempt. @throws RABBITMQ_UNAVAILABLE */
  async open(): Promise<ConfirmChannel> {
    return this.channel ?? (await (this.opening ??= this.connect().finally(() => (this.opening = null))));
  }

  /** Publishes a message on the current channel, and resolves when the server has confirmed it. */
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
      this.unanswered++; // not before: what the driver cannot write gets no answer
      this.unansweredFrom ??= this.parts.clock.now();
      if (!hasRoom || this.unanswered >= this.parts.maxPending) this.full ??= Promise.withResolvers();
      await promise;
    } finally {
      this.abandonable.remove(signal, pending);
      this.pending.remove(pending);
    }
  }

  /** Closes the channel. What waits on it fails. */
  end(): void {
    const { channel } = this;
    if (channel === null) return;
    this.channel = null;
    this.parts.link.left(channel.close().catch(() => {})); // it was closed meanwhile
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
        const where = exchange === "" ? "its queue is gone" : `no queue is bound to the exchange ${exchange}`;
        pending.reject(
          new FrameworkError("RABBITMQ_UNROUTABLE", `rabbitmq: the message was returned: ${where}`),
        );
      }
      return;
    }
    if (replyCode(error) === FORBIDDEN && reasonOf(error).includes(`exchange '${exchange}'`))
      return pending.reject(refused(reasonOf(error), error)); // other messages of the channel are not to blame
    if (reasonOf(error) !== "message nacked") return pending.reject(unavailable(reasonOf(error), error));
    this.count(pending);
    pending.reject(refused("a queue did not take it", error));
  }

  /** Counts an answer of the current channel: one that was replaced says nothing about it. */
  private count({ channel }: Pending): void {
    if (channel !== this.channel) return;
    this.confirmed++;
    this.unansweredFrom = null;
    this.parts.onAnswered?.();
  }

  /** Returns the server's reason when it has closed the channel, else the error. */
  private explained(channel: ConfirmChannel, error: unknown): unknown {
    return error === null || error === undefined ? error : (this.closedBy.get(channel) ?? error);
  }

  /**
   * Ends the wait of one message. A queue without a leader holds up its whole channel at the server, so when the channel has confirmed nothing since the message
   * was published, all that waits on it moves to other channels.
   */
  private abandon(pending: Pending): void {
    pending.reject(timedOut(this.parts.link, null));
    this.look(pending);
  }

  /** Gives the channel of a message up when it has confirmed nothing for long enough since then, and not because the server blocks publishers. */
  private look(pending: Pending): void {
    const { link, clock, stuckMs } = this.parts;
    if (pending.channel !== this.channel || pending.confirmedBefore !== this.confirmed) return;
    const leftMs = stuckMs - (clock.now() - (this.unansweredFrom ?? clock.now()));
    const isBlocked = link.blockedReason !== null;
    if (leftMs <= 0 && !isBlocked) return this.giveUp(pending);
    // A full channel takes no further message that would end its wait later.
    if (this.isFull && this.isBounded) clock.after(isBlocked ? stuckMs : leftMs, () => this.look(pending));
  }

  /** Leaves the channel of a message for another one. */
  private giveUp({ channel }: Pending): void {
    const waiting = this.pending.of(channel);
    this.parts.onStuck(waiting.map(({ to }) => to));
    this.end();
    this.replace();
    // Later: those whose signal aborts as well have passed their time limit.
    queueMicrotask(() => {
      for (const each of waiting) each.reject(unavailable("its channel confirmed nothing in time"));
    });
  }

  /** Opens another channel. A server that does not answer is left. */
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
