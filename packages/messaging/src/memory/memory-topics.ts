import type { Clock } from "@framework/core/feature";
import type { OutgoingMessage } from "../port/delivery.ts";
import { endsWithProcess } from "../request/reply-topics.ts";
import type { ConsumerOptions } from "../port/broker-adapter.ts";
import { Deque } from "./deque.ts";
import { MemoryGroup } from "./memory-group.ts";
import { MemoryItem } from "./memory-item.ts";

type Order = ConsumerOptions["order"];

interface GroupEntry {
  readonly group: MemoryGroup;
  readonly order: Order;
}

interface Topic {
  sequence: number;
  readonly groups: Map<string, GroupEntry>;
  /** Messages that were sent before the topic had a group. */
  readonly early: Deque<MemoryItem>;
}

/** Number of lanes of a topic with `order: "partition"`. */
const PARTITIONS = 16;

/** All topics of an in-memory broker. */
export class MemoryTopics {
  private readonly clock: Clock;
  private readonly maxMessages: number;
  private readonly topics = new Map<string, Topic>();

  /** @param maxMessages maximum unsettled messages of one group, and messages of a topic without groups */
  constructor(clock: Clock, maxMessages: number) {
    this.clock = clock;
    this.maxMessages = maxMessages;
  }

  /** Names of topics that have a group or a message. */
  names(): readonly string[] {
    return Array.from(this.topics.keys());
  }

  /** Stores a message for every group; drops it if its private topic has ended. Returns `false` if a group, or the topic without groups, has reached `maxMessages`. */
  send(message: OutgoingMessage): boolean {
    if (!this.topics.has(message.topic) && endsWithProcess(message.topic)) return true;
    const topic = this.topic(message.topic);
    const sentAt = this.clock.date();
    const sequence = topic.sequence++;
    if (topic.groups.size === 0) {
      if (topic.early.length >= this.maxMessages) return false;
      topic.early.push(new MemoryItem(message, sequence, null, sentAt));
      return true;
    }
    for (const { group } of topic.groups.values()) if (group.size >= this.maxMessages) return false;
    for (const { group, order } of topic.groups.values())
      group.add(new MemoryItem(message, sequence, laneOf(message, order), sentAt));
    return true;
  }

  /** Returns a group, which receives every later message; the first group of a topic also receives the messages sent before. */
  group(name: string, group: string, order: Order): MemoryGroup {
    const topic = this.topic(name);
    const known = topic.groups.get(group);
    if (known !== undefined) return known.group;
    const added = new MemoryGroup(this.clock);
    topic.groups.set(group, { group: added, order });
    for (let item = topic.early.shift(); item !== undefined; item = topic.early.shift()) {
      const { message, sequence, sentAt } = item;
      added.add(new MemoryItem(message, sequence, laneOf(message, order), sentAt));
    }
    return added;
  }

  /** Removes a private topic. */
  remove(name: string): void {
    this.topics.delete(name);
  }

  private topic(name: string): Topic {
    const known = this.topics.get(name);
    if (known !== undefined) return known;
    const topic = { sequence: 0, groups: new Map<string, GroupEntry>(), early: new Deque<MemoryItem>() };
    this.topics.set(name, topic);
    return topic;
  }
}

const laneOf = ({ key }: OutgoingMessage, order: Order): string | null => {
  if (order === "none") return null;
  if (order === "key") return key;
  return String(key === null ? 0 : hash(key) % PARTITIONS);
};

/** FNV-1a. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
};
