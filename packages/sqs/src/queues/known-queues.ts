import type { Clock } from "@framework/core/feature";
import type { SqsApi } from "../client/sqs-api.ts";
import { nameOfUrl, topicOfUrl } from "../queue-url.ts";
import type { SqsConfig } from "../sqs-config.ts";
import { groupQueue, isFifoName, isUnclaimed, topicPrefix, unclaimedQueue } from "./queue-names.ts";

/** An existing queue. */
export interface Queue {
  readonly name: string;
  readonly url: string;
  /** Whether it keeps the order of each message group. */
  readonly isFifo: boolean;
}

/** Dependencies of `KnownQueues`. */
export interface KnownQueuesParts {
  readonly api: SqsApi;
  readonly clock: Clock;
  readonly config: Pick<SqsConfig, "queueUrl" | "discoveryMs">;
}

/** Maximum number of remembered topics. */
const MAX_TOPICS = 10_000;
/** Maximum number of pages of 1,000 queues of one topic. */
const MAX_PAGES = 10;

/** Finds the queues of topics. SQS does not copy messages, so a sender must know the queue of every group. */
export class KnownQueues {
  private readonly parts: KnownQueuesParts;
  private cache = new Map<string, { readonly at: number; readonly queues: Promise<readonly Queue[]> }>();

  constructor(parts: KnownQueuesParts) {
    this.parts = parts;
  }

  /** Returns the queue of `queueUrl` if it is the queue of this topic; otherwise `null`. */
  configured(topic: string): Queue | null {
    const { queueUrl } = this.parts.config;
    return queueUrl !== "" && topicOfUrl(queueUrl) === topic ? queueOf(queueUrl) : null;
  }

  /**
   * Returns the target queues of a message: the queues of the topic's groups, or else its unclaimed queue. Empty if there is neither.
   *
   * @param group the only target group; `null` for all
   */
  async targets(topic: string, group: string | null): Promise<readonly Queue[]> {
    const given = this.configured(topic);
    if (given !== null) return [given];
    const queues = await this.all(topic);
    if (group !== null) {
      const names = [groupQueue(topic, group, false), groupQueue(topic, group, true)];
      return queues.filter(({ name }) => names.includes(name));
    }
    const groups = queues.filter(({ name }) => !isUnclaimed(name));
    return groups.length > 0 ? groups : queues.slice(0, 1);
  }

  /** Returns a queue by name; `null` if it does not exist. */
  async byName(name: string): Promise<Queue | null> {
    const url = await this.parts.api.urlOf(name);
    return url === null ? null : queueOf(url);
  }

  /** Returns the unclaimed queues of a topic, for messages without a group. */
  async unclaimed(topic: string): Promise<readonly Queue[]> {
    const names = [unclaimedQueue(topic, false), unclaimedQueue(topic, true)];
    const queues = await Promise.all(names.map(async (name) => await this.byName(name)));
    return queues.filter((queue) => queue !== null);
  }

  /** Forgets the queues of a topic, so that the next use searches again. */
  forget(topic: string): void {
    this.cache.delete(topic);
  }

  private async all(topic: string): Promise<readonly Queue[]> {
    const { clock, config } = this.parts;
    const known = this.cache.get(topic);
    if (known !== undefined && clock.now() - known.at < config.discoveryMs) return await known.queues;
    if (this.cache.size >= MAX_TOPICS) this.cache = new Map();
    const entry = { at: clock.now(), queues: this.list(topic) };
    this.cache.set(topic, entry);
    try {
      const queues = await entry.queues;
      if (queues.length === 0) this.drop(topic, entry); // a queue may be created at any time
      return queues;
    } catch (error) {
      this.drop(topic, entry);
      throw error;
    }
  }

  private drop(topic: string, entry: object): void {
    if (this.cache.get(topic) === entry) this.cache.delete(topic);
  }

  private async list(topic: string): Promise<readonly Queue[]> {
    const queues: Queue[] = [];
    let from: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { urls, nextToken } = await this.parts.api.list(topicPrefix(topic), { from });
      queues.push(...urls.map(queueOf));
      if (nextToken === undefined) return queues;
      from = nextToken;
    }
    throw new Error(`the topic ${topic} has more than ${queues.length} queues`);
  }
}

const queueOf = (url: string): Queue => {
  const name = nameOfUrl(url);
  return { name, url, isFifo: isFifoName(name) };
};
