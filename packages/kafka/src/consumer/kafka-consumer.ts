import type { Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import {
  type Consumer,
  type ConsumerOptions,
  type Delivery,
  pause,
  type Settlement,
} from "@framework/messaging/adapter";
import type { AdminClient } from "../client/admin-client.ts";
import type { KafkaConfig } from "../kafka-config.ts";
import { groupLag, type TopicPartition } from "./group-lag.ts";
import { KafkaDelivery } from "./kafka-delivery.ts";
import { matchingTopics } from "./matching-topics.ts";
import { Member, type Position } from "./member.ts";

/** Dependencies of `KafkaConsumer`. */
export interface ConsumerParts {
  readonly config: KafkaConfig;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly admin: AdminClient;
  readonly options: ConsumerOptions;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** Reads topics as a member of a group. Joins again, with backoff, until it is closed. */
export class KafkaConsumer implements Consumer {
  private readonly parts: ConsumerParts;
  private readonly ending = new AbortController();
  private readonly fetched = new Map<string, bigint>();
  private member: Member | null = null;
  private running: Promise<void> | null = null;
  private isPaused = false;
  private isStopped = false;

  constructor(parts: ConsumerParts) {
    this.parts = parts;
  }

  start(): void {
    if (!this.isStopped) this.running ??= this.run();
  }

  pause(): void {
    this.isPaused = true;
    this.member?.updateFetching();
  }

  resume(): void {
    this.isPaused = false;
    this.member?.updateFetching();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.member?.updateFetching();
  }

  async settle(settlements: readonly Settlement[]): Promise<readonly Delivery[]> {
    const { member } = this;
    const lost: Delivery[] = [];
    const positions = new Map<string, Position>();
    for (const { delivery } of settlements) {
      if (!(delivery instanceof KafkaDelivery) || member === null || !member.holds(delivery.assignment)) {
        lost.push(delivery);
        continue;
      }
      const offset = BigInt(delivery.offset) + 1n;
      const known = positions.get(delivery.partition);
      if (known === undefined || known.offset < offset)
        positions.set(delivery.partition, { assignment: delivery.assignment, offset });
    }
    if (positions.size > 0) await member?.commit(Array.from(positions.values()));
    return lost;
  }

  async lag(): Promise<number | null> {
    const { admin, options } = this.parts;
    const known = this.member?.subscribedTopics ?? []; // listing all topics on every call is expensive on a large cluster
    const topics = known.length > 0 ? known : await matchingTopics(admin, options);
    return await groupLag(admin, options.group, topics);
  }

  async overdue(): Promise<number> {
    const { admin, options } = this.parts;
    const unread = this.member?.unread() ?? [];
    const topics = Array.from(new Set(unread.map(({ topic }) => topic)));
    const isUnread = (place: TopicPartition): boolean =>
      unread.some(({ topic, partition }) => topic === place.topic && partition === place.partition);
    return await groupLag(admin, options.group, topics, isUnread);
  }

  async close(): Promise<void> {
    await this.stop();
    const isFirst = !this.ending.signal.aborted;
    this.ending.abort();
    await this.member?.leave();
    await this.running;
    if (isFirst) this.parts.options.sink.state("closed");
  }

  private async run(): Promise<void> {
    const { clock, random, options, log } = this.parts;
    const { signal } = this.ending;
    for (let failures = 0; !signal.aborted; failures++) {
      const member = new Member({
        ...this.parts,
        fetched: this.fetched,
        isFetchingEnabled: () => !this.isPaused && !this.isStopped,
      });
      this.member = member;
      void member.run();
      const reason = await member.whenEnded;
      if (signal.aborted) return; // `close` leaves the group
      if (member.partitionNames.length > 0) options.sink.revoked(member.partitionNames);
      options.sink.state("connecting", reason);
      log.warn("kafka: a consumer joins its group again", { group: options.group, reason });
      await member.leave();
      if (member.hasJoined) failures = 0;
      await pause(clock, backoffMs(failures, random), signal);
    }
  }
}

/** Exponential backoff with full jitter, plus a minimum. */
const backoffMs = (failures: number, random: () => number): number =>
  FIRST_PAUSE_MS + random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
