import { FrameworkError } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { backoffMs, pause, untilAborted } from "@framework/messaging/adapter";
import type { ConfirmChannel, Message } from "amqplib";
import type { Link } from "../connection/link.ts";
import {
  DIFFERENT,
  FORBIDDEN,
  NOT_FOUND,
  reasonOf,
  replyCode,
  unavailable,
} from "../connection/server-error.ts";
import { withChannel } from "../connection/with-channel.ts";
import type { DelayedTo, DelayQueues } from "../topology/delay-queues.ts";
import { Abandonable } from "./abandonable.ts";
import { type Pending, PendingMessages } from "./pending-messages.ts";
import type { Publication } from "./publication.ts";
import { TargetLines } from "./target-lines.ts";

/** What a publisher needs. */
export interface PublisherParts {
  readonly link: Link;
  readonly clock: Clock;
  readonly random: () => number;
  readonly delays: DelayQueues;
  /** Creates again what this process created. */
  readonly again: () => Promise<void>;
}

/** A channel with room, and where the message is published now. */
interface Prepared {
  readonly channel: ConfirmChannel;
  readonly to: DelayedTo;
}

/** Exchanges that are known to exist. */
const MAX_KNOWN = 10_000;

/** Publishes messages on one confirm channel, and waits for the confirmation of each. */
export class Publisher {
  private readonly parts: PublisherParts;
  private channel: ConfirmChannel | null = null;
  private opening: Promise<ConfirmChannel> | null = null;
  /** Present while the channel's buffer is full. */
  private drained: PromiseWithResolvers<void> | null = null;
  private confirmed = 0;
  private readonly pending = new PendingMessages();
  private readonly lines = new TargetLines();
  private readonly abandonable = new Abandonable<Pending>((pending) => this.abandon(pending));
  private known = new Set<string>();
  /** Why the server closed a channel: the confirmations that wait on it fail without the reason. */
  private readonly closedBy = new WeakMap<ConfirmChannel, Error>();

  constructor(parts: PublisherParts) {
    this.parts = parts;
  }

  /**
   * Publishes a message behind those that came before to its target, and resolves when the server has confirmed it.
   *
   * @throws RABBITMQ_UNROUTABLE, RABBITMQ_REFUSED, RABBITMQ_UNAVAILABLE, RABBITMQ_TIMEOUT
   */
  async publish(publication: Publication, signal: AbortSignal): Promise<void> {
    const channel = this.ready(publication);
    if (channel !== null) return await this.confirmation(channel, publication.to, publication, signal);
    const { published } = await this.lines.inTurn(targetOf(publication), signal, async () => {
      const prepared = await this.prepared(publication, signal);
      return { published: this.confirmation(prepared.channel, prepared.to, publication, signal) }; // the next one does not wait for it
    });
    await published;
  }

  /** The channel, if nothing has to be waited for. */
  private ready(publication: Publication): ConfirmChannel | null {
    const { to, delayMs } = publication;
    if (this.drained !== null || this.parts.link.blockedReason !== null) return null;
    if (!this.lines.isEmpty && this.lines.has(targetOf(publication))) return null;
    return delayMs === 0 && (to.exchange === "" || this.known.has(to.exchange)) ? this.channel : null;
  }

  /** Waits until the message can be published, and connects again until the signal aborts. */
  private async prepared(publication: Publication, signal: AbortSignal): Promise<Prepared> {
    const { link, clock, random } = this.parts;
    let last: unknown;
    for (let failures = 0; ;) {
      if (signal.aborted) throw this.timeout(last);
      try {
        return await this.prepare(publication, signal);
      } catch (error) {
        if (signal.aborted) throw this.timeout(last);
        if (FrameworkError.is(error) && error.code !== "RABBITMQ_UNAVAILABLE") throw error;
        if (replyCode(error) === FORBIDDEN || replyCode(error) === DIFFERENT)
          throw refused(reasonOf(error), error);
        if (link.isClosed) throw error;
        last = error;
        await pause(clock, backoffMs(++failures, random()), signal);
      }
    }
  }

  private async prepare({ to, delayMs }: Publication, signal: AbortSignal): Promise<Prepared> {
    const { link, delays } = this.parts;
    for (;;) {
      const channel = this.channel ?? (await untilAborted((this.opening ??= this.open()), signal));
      const isUnknown = to.exchange !== "" && !this.known.has(to.exchange);
      if (link.blockedReason !== null) await untilAborted(link.whenUnblocked(), signal);
      else if (this.drained !== null) await untilAborted(this.drained.promise, signal);
      else if (isUnknown) await untilAborted(this.look(to.exchange), signal);
      else if (delayMs > 0 && delays.known(to, delayMs) === null)
        await untilAborted(delays.declare(link, to, delayMs), signal);
      else if (channel === this.channel)
        return {
          channel,
          to: delayMs === 0 ? to : { exchange: "", routingKey: delays.known(to, delayMs) ?? "" },
        };
    }
  }

  private async confirmation(
    channel: ConfirmChannel,
    to: DelayedTo,
    { content, options }: Publication,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) throw this.timeout(null);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const id = options.messageId ?? "";
    const pending: Pending = {
      id,
      to,
      resolve,
      reject,
      confirmedBefore: this.confirmed,
      isReturned: false,
    };
    this.pending.add(pending);
    this.abandonable.add(signal, pending);
    try {
      const hasRoom = channel.publish(to.exchange, to.routingKey, content, options, (error: unknown) =>
        this.answered(pending, this.explained(channel, error)),
      );
      if (!hasRoom) this.drained ??= Promise.withResolvers();
      await promise;
    } finally {
      this.abandonable.remove(signal, pending);
      this.pending.remove(pending);
    }
  }

  private answered(pending: Pending, error: unknown): void {
    const { exchange } = pending.to;
    if (error === null || error === undefined) {
      this.confirmed++;
      if (!pending.isReturned) return pending.resolve();
      const where = exchange === "" ? "its queue is gone" : `no queue is bound to the exchange ${exchange}`;
      return pending.reject(
        new FrameworkError("RABBITMQ_UNROUTABLE", `rabbitmq: the message was returned: ${where}`),
      );
    }
    if (replyCode(error) === FORBIDDEN && reasonOf(error).includes(`exchange '${exchange}'`))
      return pending.reject(refused(reasonOf(error), error)); // other messages of the channel are not to blame
    if (reasonOf(error) !== "message nacked") return pending.reject(unavailable(reasonOf(error), error));
    this.confirmed++;
    pending.reject(refused("a queue did not take it", error));
  }

  /** Returns the server's reason when it has closed the channel, else the error. */
  private explained(channel: ConfirmChannel, error: unknown): unknown {
    return error === null || error === undefined ? error : (this.closedBy.get(channel) ?? error);
  }

  /** Ends the wait of one message. When the server has confirmed nothing since it was published, the connection is replaced. */
  private abandon(pending: Pending): void {
    pending.reject(this.timeout(null));
    const { link } = this.parts;
    if (pending.confirmedBefore === this.confirmed && link.blockedReason === null)
      link.reset("the server confirmed nothing in time");
  }

  private timeout(last: unknown): FrameworkError {
    const { blockedReason } = this.parts.link;
    const blocked = blockedReason === null ? "" : `: the server blocks publishers (${blockedReason})`;
    const why = last === null || last === undefined ? blocked : `: ${reasonOf(last)}`;
    return new FrameworkError("RABBITMQ_TIMEOUT", `rabbitmq: the message was not confirmed in time${why}`);
  }

  private async open(): Promise<ConfirmChannel> {
    try {
      const channel = await (await this.parts.link.open()).createConfirmChannel();
      channel.on("error", (error: Error) => void this.closedBy.set(channel, error)); // "close" follows
      channel.on("return", (message: Message) => this.pending.returned(message));
      channel.on("drain", () => this.release());
      channel.on("close", () => {
        this.channel = null;
        this.known = new Set(); // a missing exchange may be the reason
        this.parts.delays.forget();
        this.release();
      });
      this.channel = channel;
      return channel;
    } finally {
      this.opening = null;
    }
  }

  /** Makes sure that an exchange exists: publishing to a missing one would close the channel under the messages of others. */
  private async look(exchange: string): Promise<void> {
    const check = (): Promise<unknown> =>
      withChannel(this.parts.link, (channel) => channel.checkExchange(exchange));
    try {
      await check();
    } catch (error) {
      if (replyCode(error) !== NOT_FOUND) throw unavailable(reasonOf(error), error);
      await this.parts.again();
      await check().catch((cause: unknown) => {
        if (replyCode(cause) !== NOT_FOUND) throw unavailable(reasonOf(cause), cause);
        throw new FrameworkError("RABBITMQ_UNROUTABLE", `rabbitmq: there is no exchange ${exchange}`, {
          cause,
        });
      });
    }
    if (this.known.size >= MAX_KNOWN) this.known = new Set();
    this.known.add(exchange);
  }

  private release(): void {
    this.drained?.resolve();
    this.drained = null;
  }
}

const targetOf = ({ to, delayMs }: Publication): string => `${to.exchange}\n${to.routingKey}\n${delayMs}`;

const refused = (reason: string, cause: unknown): FrameworkError =>
  new FrameworkError("RABBITMQ_REFUSED", `rabbitmq: the server refused the message: ${reason}`, { cause });
