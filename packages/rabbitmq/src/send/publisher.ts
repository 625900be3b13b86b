import { FrameworkError, type Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import { backoffMs, pause, untilAborted } from "@framework/messaging/adapter";
import type { ConfirmChannel } from "amqplib";
import type { Link } from "../connection/link.ts";
import {
  PRECONDITION_FAILED,
  ACCESS_REFUSED,
  NOT_FOUND,
  reasonOf,
  replyCode,
  unavailable,
} from "../connection/server-error.ts";
import { withChannel } from "../connection/with-channel.ts";
import type { MessageTarget, DelayQueues } from "../topology/delay-queues.ts";
import { ConfirmLane, type ConfirmLaneParts } from "./confirm-lane.ts";
import type { Publication } from "./publication.ts";
import { refused, timedOut } from "./send-errors.ts";
import { SendQueues } from "./send-queues.ts";

/** Dependencies of `Publisher`. */
export interface PublisherParts {
  readonly link: Link;
  readonly clock: Clock;
  readonly random: () => number;
  readonly delays: DelayQueues;
  readonly log: Logger;
  /** Redeclares the topology that this process has declared in mode `create`. */
  readonly redeclare: () => Promise<void>;
}

/** A channel with room, and the target of a message. */
interface PreparedPublish {
  readonly lane: ConfirmLane;
  readonly channel: ConfirmChannel;
  readonly to: MessageTarget;
}

/** Maximum number of remembered exchanges. */
const MAX_KNOWN = 10_000;

/** Maximum pause of a send between attempts, in milliseconds. */
const MAX_PAUSE_MS = 1000;
/** Milliseconds without a confirmation after which a channel is replaced. Longer for a dedicated one, because the server keeps closed channels for about a minute. */
const SHARED_STUCK_MS = 1000;
const DEDICATED_STUCK_MS = 5000;
/** Maximum number of targets with a dedicated channel. */
const MAX_DEDICATED = 32;

/** Publishes messages on confirm channels and waits for their confirmations. */
export class Publisher {
  private readonly parts: PublisherParts;
  private readonly laneParts: Omit<ConfirmLaneParts, "onStuck" | "onOutcome">;
  private readonly shared: ConfirmLane;
  /** Dedicated lanes of stuck targets, each with at most one unconfirmed message: a leaderless queue blocks all messages of its channel. */
  private readonly dedicated = new Map<string, ConfirmLane>();
  private readonly queues = new SendQueues();
  private knownExchanges = new Set<string>();

  constructor(parts: PublisherParts) {
    this.parts = parts;
    const { link, clock } = parts;
    const onLost = (): void => this.forget();
    this.laneParts = { link, clock, maxPending: Infinity, stuckMs: SHARED_STUCK_MS, onLost };
    this.shared = new ConfirmLane({
      ...this.laneParts,
      onStuck: (targets) => this.isolate(targets),
    });
  }

  /**
   * Publishes a message after earlier ones to its target. Resolves when the server has confirmed it.
   *
   * @throws RABBITMQ_UNROUTABLE, RABBITMQ_REFUSED, RABBITMQ_UNAVAILABLE, RABBITMQ_TIMEOUT; RangeError or TypeError if amqplib cannot write the message
   */
  async publish(publication: Publication, signal: AbortSignal): Promise<void> {
    const channel = this.channelIfReady(publication);
    if (channel !== null) return await this.shared.publish(channel, publication.to, publication, signal);
    const { published } = await this.queues.run(targetOf(publication), signal, async () => {
      const { lane, channel: prepared, to } = await this.prepareWithRetries(publication, signal);
      return { published: lane.publish(prepared, to, publication, signal) }; // wrapped, so that the next message does not wait for the confirmation
    });
    await published;
  }

  /** Returns the channel if the message can be published at once; else `null`. */
  private channelIfReady(publication: Publication): ConfirmChannel | null {
    const { to, delayMs } = publication;
    if (this.shared.isFull || this.parts.link.blockedReason !== null) return null;
    if (!this.queues.isEmpty && this.queues.has(targetOf(publication))) return null;
    if (this.dedicated.size > 0 && this.dedicated.has(nameOf(to))) return null;
    return delayMs === 0 && (to.exchange === "" || this.knownExchanges.has(to.exchange))
      ? this.shared.current
      : null;
  }

  /** Waits until the message can be published; reconnects until the signal aborts. */
  private async prepareWithRetries(publication: Publication, signal: AbortSignal): Promise<PreparedPublish> {
    const { link, clock, random } = this.parts;
    let lastError: unknown;
    for (let failures = 0; ;) {
      if (signal.aborted) throw timedOut(link, lastError);
      try {
        return await this.prepare(publication, signal);
      } catch (error) {
        if (signal.aborted) throw timedOut(link, lastError);
        if (FrameworkError.is(error) && error.code !== "RABBITMQ_UNAVAILABLE") throw error;
        if (replyCode(error) === ACCESS_REFUSED || replyCode(error) === PRECONDITION_FAILED)
          throw refused(reasonOf(error), error);
        if (link.isClosed) throw error;
        lastError = error;
        await pause(clock, Math.min(backoffMs(++failures, random()), MAX_PAUSE_MS), signal);
      }
    }
  }

  private async prepare({ to, delayMs }: Publication, signal: AbortSignal): Promise<PreparedPublish> {
    const { link, delays } = this.parts;
    for (;;) {
      const target = delayMs === 0 ? to : delays.known(to, delayMs);
      const lane = target === null ? this.shared : this.laneOf(target);
      const channel = lane.current ?? (await untilAborted(lane.open(), signal));
      const isUnknown = to.exchange !== "" && !this.knownExchanges.has(to.exchange);
      if (link.blockedReason !== null) await untilAborted(link.whenUnblocked(), signal);
      else if (lane.isFull) await untilAborted(lane.whenRoom(), signal);
      else if (isUnknown) await untilAborted(this.ensureExchange(to.exchange), signal);
      else if (target === null) await untilAborted(delays.declare(link, to, delayMs), signal);
      else if (channel === lane.current && lane === this.laneOf(target)) return { lane, channel, to: target };
    }
  }

  /** Returns the lane of a target: a dedicated one after it was stuck. */
  private laneOf(to: MessageTarget): ConfirmLane {
    return (this.dedicated.size === 0 ? undefined : this.dedicated.get(nameOf(to))) ?? this.shared;
  }

  /** Gives targets dedicated lanes, until the server confirms or refuses a message on them. */
  private isolate(targets: readonly MessageTarget[]): void {
    for (const to of targets) {
      const name = nameOf(to);
      if (this.dedicated.has(name)) continue;
      const [oldest] = this.dedicated;
      if (oldest !== undefined && this.dedicated.size >= MAX_DEDICATED) this.drop(...oldest);
      const lane: ConfirmLane = new ConfirmLane({
        ...this.laneParts,
        maxPending: 1,
        stuckMs: DEDICATED_STUCK_MS,
        onStuck: () => this.stuckAgain(to),
        onOutcome: () => this.drop(name, lane),
      });
      this.dedicated.set(name, lane);
    }
  }

  private stuckAgain(to: MessageTarget): void {
    const { exchange, routingKey } = to;
    this.parts.log.warn(
      "rabbitmq: a queue confirms nothing; check whether it has a leader",
      exchange === "" ? { queue: routingKey } : { exchange },
    );
    this.parts.delays.avoid(to);
  }

  private drop(name: string, lane: ConfirmLane): void {
    if (this.dedicated.get(name) === lane) this.dedicated.delete(name);
    lane.end();
  }

  private forget(): void {
    this.knownExchanges = new Set(); // the channel may have been closed because of a missing exchange
    this.parts.delays.forget();
  }

  /** Ensures that an exchange exists: publishing to a missing one would close the channel, and its other unconfirmed messages would fail. */
  private async ensureExchange(exchange: string): Promise<void> {
    const check = (): Promise<unknown> =>
      withChannel(this.parts.link, (channel) => channel.checkExchange(exchange));
    try {
      await check();
    } catch (error) {
      if (replyCode(error) !== NOT_FOUND) throw unavailable(reasonOf(error), error);
      await this.parts.redeclare();
      await check().catch((cause: unknown) => {
        if (replyCode(cause) !== NOT_FOUND) throw unavailable(reasonOf(cause), cause);
        throw new FrameworkError("RABBITMQ_UNROUTABLE", `rabbitmq: there is no exchange ${exchange}`, {
          cause,
        });
      });
    }
    if (this.knownExchanges.size >= MAX_KNOWN) this.knownExchanges = new Set();
    this.knownExchanges.add(exchange);
  }
}

const targetOf = ({ to, delayMs }: Publication): string => `${to.exchange}\n${to.routingKey}\n${delayMs}`;

const nameOf = ({ exchange, routingKey }: MessageTarget): string => `${exchange}\n${routingKey}`;
