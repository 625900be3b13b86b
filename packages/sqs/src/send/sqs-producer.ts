import { FrameworkError } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import {
  GROUP,
  type OutgoingMessage,
  type Producer,
  type SendOptions,
  type SendResult,
  untilAborted,
} from "@framework/messaging/adapter";
import { isForbidden, reasonOf, refused, unavailable } from "../client/sqs-error.ts";
import type { KnownQueues, Queue } from "../queues/known-queues.ts";
import { queueEntry } from "./queue-entry.ts";
import { type Posting, sendEntries, type SendEntriesParts, type SendFailure } from "./send-entries.ts";

/** Dependencies of `SqsProducer`. */
export interface SqsProducerParts extends SendEntriesParts {
  readonly queues: KnownQueues;
  readonly clock: Clock;
}

/** A message with its target queues and result. */
interface RoutedMessage {
  readonly message: OutgoingMessage;
  readonly queues: readonly Queue[];
  result: SendResult | null;
}

/** A message that has lost one of its target queues, with the URLs of the queues that have stored it. */
interface PartlySent {
  readonly each: RoutedMessage;
  readonly storedIn: ReadonlySet<string>;
}

/** The target queues of a topic, or the failure to find them. */
interface Route {
  readonly queues: readonly Queue[];
  readonly failure: SendResult | null;
}

const stored: SendResult = Object.freeze({ ok: true });

/** Sends messages to the queue of every group. In FIFO queues messages of one key wait for each other's confirmation, to keep the order after a failure. */
export class SqsProducer implements Producer {
  private readonly parts: SqsProducerParts;

  constructor(parts: SqsProducerParts) {
    this.parts = parts;
  }

  async send(messages: readonly OutgoingMessage[], { signal }: SendOptions): Promise<readonly SendResult[]> {
    const outgoing = await this.routeAll(messages, signal);
    for (const round of roundsOf(outgoing)) await this.sendRound(round, signal);
    return outgoing.map(({ result }) => result ?? notSent);
  }

  /** Finds the queues of each topic once, not for every message, because each search adds an abort listener. */
  private async routeAll(
    messages: readonly OutgoingMessage[],
    signal: AbortSignal,
  ): Promise<readonly RoutedMessage[]> {
    const routes = new Map<string, Route>();
    const outgoing: RoutedMessage[] = [];
    for (const message of messages) {
      const { topic, headers } = message;
      const group = headers[GROUP] ?? null;
      const name = group === null ? topic : `${topic}\n${group}`;
      const route = routes.get(name) ?? (await this.route(topic, group, signal));
      routes.set(name, route);
      outgoing.push({ message, queues: route.queues, result: route.failure });
    }
    return outgoing;
  }

  private async route(topic: string, group: string | null, signal: AbortSignal): Promise<Route> {
    try {
      const queues = await untilAborted(this.parts.queues.targets(topic, group), signal);
      return { queues, failure: queues.length === 0 ? unroutable(topic) : null };
    } catch (error) {
      const reason = reasonOf(error);
      const failure = isForbidden(error) ? refused(reason, error) : unavailable(reason, error);
      return { queues: [], failure: { ok: false, error: failure, isRetryable: true } };
    }
  }

  private async sendRound(round: readonly RoutedMessage[], signal: AbortSignal): Promise<void> {
    const withoutQueue = await this.post(round, signal);
    if (withoutQueue.length === 0) return;
    for (const { each } of withoutQueue) this.parts.queues.forget(each.message.topic); // a group may have been removed
    const found = await this.routeAll(
      withoutQueue.map(({ each }) => each.message),
      signal,
    );
    const rerouted = found.map(({ message, queues, result }, at) => ({
      message,
      queues: queues.filter(({ url }) => withoutQueue[at]?.storedIn.has(url) !== true),
      result,
    }));
    await this.post(
      rerouted.filter(({ result }) => result === null),
      signal,
    );
    for (const [at, { result }] of rerouted.entries()) {
      const sent = withoutQueue[at];
      if (sent !== undefined) sent.each.result = result;
    }
  }

  /** Sends messages. Returns the messages that have a target queue that no longer exists. */
  private async post(round: readonly RoutedMessage[], signal: AbortSignal): Promise<readonly PartlySent[]> {
    const date = this.parts.clock.date();
    const posted = round.map((each) => ({ each, postings: postingsOf(each, date) }));
    await sendEntries(
      this.parts,
      posted.flatMap(({ postings }) => postings),
      signal,
    );
    const gone: PartlySent[] = [];
    for (const { each, postings } of posted) {
      const failures = postings.flatMap(({ failure }) => failure ?? []);
      const [failure] = failures;
      each.result = failure === undefined ? stored : resultOf(failure);
      if (!failures.some(({ isMissing }) => isMissing)) continue;
      const sent = postings.filter((posting) => posting.failure === null);
      gone.push({ each, storedIn: new Set(sent.map(({ queue }) => queue.url)) });
    }
    return gone;
  }
}

const postingsOf = ({ message, queues }: RoutedMessage, date: number): readonly Posting[] =>
  queues.map((queue) => ({ ...queueEntry(message, queue, { date }), queue, failure: null }));

const resultOf = ({ error, isRetryable }: SendFailure): SendResult => ({ ok: false, error, isRetryable });

/** Yields messages that may be sent together: for FIFO queues one message of each key, and none after a failed one. */
const roundsOf = function* (outgoing: readonly RoutedMessage[]): Generator<readonly RoutedMessage[]> {
  const lanes = new Map<string, RoutedMessage[]>();
  const free: RoutedMessage[] = [];
  for (const each of outgoing) {
    const { topic, key } = each.message;
    const isOrdered = key !== null && (each.queues.some(({ isFifo }) => isFifo) || each.result !== null);
    if (!isOrdered) {
      if (each.result === null) free.push(each);
      continue;
    }
    const lane = `${topic}\n${key}`;
    const before = lanes.get(lane);
    if (before === undefined) lanes.set(lane, [each]);
    else before.push(each);
  }
  if (free.length > 0) yield free;
  for (let at = 0; ; at++) {
    const round = Array.from(lanes.values()).flatMap((lane) => messageForRound(lane, at));
    if (round.length === 0) return;
    yield round;
  }
};

/** Returns the message of a lane for a round. After an earlier message failed, returns none and fails the message. */
const messageForRound = (lane: readonly RoutedMessage[], at: number): readonly RoutedMessage[] => {
  const each = lane[at];
  if (each === undefined || each.result !== null) return [];
  const before = at === 0 ? undefined : lane[at - 1]?.result;
  if (before?.ok === false) {
    each.result = { ok: false, error: before.error, isRetryable: true };
    return [];
  }
  return [each];
};

const notSent: SendResult = {
  ok: false,
  error: unavailable("an earlier message of the same key was not stored"),
  isRetryable: true,
};

const unroutable = (topic: string): SendResult => ({
  ok: false,
  error: new FrameworkError("SQS_UNROUTABLE", `sqs: no group has a queue for the topic ${topic}`),
  isRetryable: true,
});
