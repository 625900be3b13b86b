import { FrameworkError } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { ConfirmChannel, Message } from "amqplib";
import type { Link } from "../connection/link.ts";
import { ACCESS_REFUSED, reasonOf, replyCode, unavailable } from "../connection/server-error.ts";
import type { MessageTarget } from "../topology/delay-queues.ts";
import { AbortableWaits } from "./abortable-waits.ts";
import { type PendingMessage, PendingMessages } from "./pending-messages.ts";
import type { Publication } from "./publication.ts";
import { refused, timedOut } from "./send-errors.ts";

/** Dependencies of `ConfirmLane`. */
export interface ConfirmLaneParts {
  readonly link: Link;
  readonly clock: Clock;
  /** Maximum number of messages of the channel that are neither confirmed nor refused. */
  readonly maxPending: number;
  /** Milliseconds without a confirmation or refusal after which a channel counts as stuck, even if a message times out earlier. */
  readonly stuckMs: number;
  /** Called when the server or the network has closed the channel. */
  readonly onLost: () => void;
  /** Called with the targets of all waiting messages when the channel is stuck: one has timed out, and nothing was confirmed since it was published. */
  readonly onStuck: (targets: readonly MessageTarget[]) => void;
  /** Called when the server has confirmed or refused a message. */
  readonly onOutcome?: () => void;
}

/** Time limit in milliseconds for opening another channel after a stuck one. */
const OPEN_MS = 2000;

/** A confirm channel with its unconfirmed messages. Opened again after it was closed. */
export class ConfirmLane {
  private readonly parts: ConfirmLaneParts;
  private channel: ConfirmChannel | null = null;
  private opening: Promise<ConfirmChannel> | null = null;
  /** Resolves when the channel has room; `null` while it has. */
  private full: PromiseWithResolvers<void> | null = null;
  private confirmed = 0;
  /** Messages of the channel that are neither confirmed nor refused, including timed-out ones: the server stops reading a connection with hundreds of them. */
  private unconfirmed = 0;
  /** Time of the first publish since the last confirmation or refusal; `null` for none. */
  private unconfirmedSince: number | null = null;
  private readonly pending = new PendingMessages();
  private readonly waits = new AbortableWaits<PendingMessage>((pending) => this.timeOut(pending));
  /** The server's reason for closing a channel, which amqplib does not pass to unconfirmed messages. */
  private readonly closedBy = new WeakMap<ConfirmChannel, Error>();

  constructor(parts: ConfirmLaneParts) {
    this.parts = parts;
  }

  /** The open channel; `null` if there is none. */
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
    to: MessageTarget,
    { content, options }: Publication,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) throw timedOut(this.parts.link, null);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = options.messageId ?? "";
    const { confirmed: confirmedBefore } = this;
    const pending: PendingMessage = { id, to, channel, resolve, reject, confirmedBefore, isReturned: false };
    this.pending.add(pending);
    this.waits.add(signal, pending);
    try {
      const hasRoom = channel.publish(to.exchange, to.routingKey, content, options, (error: unknown) =>
        this.settle(pending, this.explain(channel, error)),
      );
      this.unconfirmed++; // after `publish`, which throws if amqplib cannot write the message
      this.unconfirmedSince ??= this.parts.clock.now();
      if (!hasRoom || this.unconfirmed >= this.parts.maxPending) this.full ??= Promise.withResolvers();
      await promise;
    } finally {
      this.waits.remove(signal, pending);
      this.pending.remove(pending);
    }
  }

  /** Closes the channel; its unconfirmed messages fail. */
  end(): void {
    const { channel } = this;
    if (channel === null) return;
    this.channel = null;
    this.parts.link.trackClosing(channel.close().catch(() => {})); // fails if it was closed meanwhile
    this.release();
  }

  private settle(pending: PendingMessage, error: unknown): void {
    if (pending.channel === this.channel) this.unconfirmed--;
    if (this.isBounded && this.unconfirmed < this.parts.maxPending) this.release();
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
    if (replyCode(error) === ACCESS_REFUSED && reasonOf(error).includes(`exchange '${exchange}'`))
      return pending.reject(refused(reasonOf(error), error)); // only messages to this exchange were refused
    if (reasonOf(error) !== "message nacked") return pending.reject(unavailable(reasonOf(error), error));
    this.count(pending);
    pending.reject(refused("a queue rejected it", error));
  }

  /** Counts a confirmation or refusal if it is from the current channel. */
  private count({ channel }: PendingMessage): void {
    if (channel !== this.channel) return;
    this.confirmed++;
    this.unconfirmedSince = null;
    this.parts.onOutcome?.();
  }

  /** Returns the server's reason if it has closed the channel; otherwise the error. */
  private explain(channel: ConfirmChannel, error: unknown): unknown {
    return error === null || error === undefined ? error : (this.closedBy.get(channel) ?? error);
  }

  /**
   * Fails a message at its time limit. A leaderless queue blocks its whole channel at the server: if the channel is stuck, all its waiting messages fail, and later
   * messages to their targets use other channels.
   */
  private timeOut(pending: PendingMessage): void {
    pending.reject(timedOut(this.parts.link, null));
    this.checkStuck(pending);
  }

  /** Replaces the channel of a message if it is stuck, unless the server blocks publishers. */
  private checkStuck(pending: PendingMessage): void {
    const { link, clock, stuckMs } = this.parts;
    if (pending.channel !== this.channel || pending.confirmedBefore !== this.confirmed) return;
    const remainingMs = stuckMs - (clock.now() - (this.unconfirmedSince ?? clock.now()));
    const isBlocked = link.blockedReason !== null;
    if (remainingMs <= 0 && !isBlocked) return this.replaceStuck(pending);
    // Checks again later: a full channel accepts no further message whose timeout would do so.
    if (this.isFull && this.isBounded)
      clock.after(isBlocked ? stuckMs : remainingMs, () => this.checkStuck(pending));
  }

  /** Replaces a stuck channel with another one. */
  private replaceStuck({ channel }: PendingMessage): void {
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
    const cancel = clock.after(OPEN_MS, () => {
      if (link.model === model) link.reset("the server confirmed nothing in time");
    });
    void this.open().then(cancel, cancel);
  }

  private async connect(): Promise<ConfirmChannel> {
    const channel = await (await this.parts.link.openSoon()).createConfirmChannel();
    channel.on("error", (error: Error) => void this.closedBy.set(channel, error)); // "close" follows
    channel.on("return", (message: Message) => this.pending.markReturned(message));
    if (!this.isBounded) channel.on("drain", () => this.release());
    channel.on("close", () => {
      if (channel !== this.channel) return;
      this.channel = null;
      this.parts.onLost();
      this.release();
    });
    this.channel = channel;
    this.unconfirmedSince = null;
    this.unconfirmed = 0;
    return channel;
  }

  private release(): void {
    this.full?.resolve();
    this.full = null;
  }
}
