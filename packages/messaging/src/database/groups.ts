import { createHash } from "node:crypto";
import type { Kernel } from "@framework/durable/feature";
import { type Database, type Queries, sql, type Statement, type Transaction } from "@framework/database";
import type { ConsumerOptions } from "../port/broker-adapter.ts";
import { endsWithProcess } from "../request/reply-topics.ts";

/** A group of a topic. */
export interface Group {
  readonly queue: string;
  readonly ordering: ConsumerOptions["order"];
}

/** Topic and name of a group. */
export interface GroupName {
  readonly topic: string;
  readonly name: string;
}

/** A group that a process registers. */
export interface NewGroup extends GroupName {
  readonly ordering: ConsumerOptions["order"];
  /** Whether it ends with the process: then it is registered again while the process lives. */
  readonly isPrivate: boolean;
}

/** Time after which a private group is removed that was not registered again. */
const PRIVATE_MS = 3_600_000;

/** Time after which a message that is due is one that no process takes: a day. */
const UNREAD_MS = 86_400_000;

/** Name of the group of messages that were sent before a topic had one. */
const EARLY = "";

/** Rows that one statement gives to the first group. */
const ADOPT = 1000;

/** Name of the queue of a group; long ones are hashed, because the names of queues are limited. */
export const queueOf = (topic: string, group: string): string => {
  const name = `message:${topic}:${group}`;
  if (name.length <= 100) return name;
  return `message:${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
};

/** The groups of topics, in the database. */
export class Groups {
  private readonly kernel: Kernel;

  constructor(kernel: Kernel) {
    this.kernel = kernel;
  }

  /** Returns the groups that get a message; the early one, when there is none yet, or none for a topic that has ended with its process. */
  async of(topic: string, queries: Queries = this.kernel.db): Promise<readonly Group[]> {
    const rows = await queries.query<{ name: string; ordering: ConsumerOptions["order"] }>(
      "SELECT name, ordering FROM framework_message_groups WHERE topic = $1",
      [topic],
    );
    if (rows.length === 0)
      return endsWithProcess(topic) ? [] : [{ queue: queueOf(topic, EARLY), ordering: "key" }];
    return rows.map(({ name, ordering }) => ({ queue: queueOf(topic, name), ordering }));
  }

  /**
   * Adds groups, all or none: each gets every message from the commit on. The order of its messages is that of the latest process that registered it.
   */
  async register(added: readonly NewGroup[]): Promise<void> {
    if (added.length === 0) return;
    await this.kernel.transaction(async (tx) => {
      for (const group of added) await this.add(tx, group);
    });
  }

  private async add(tx: Transaction, { topic, name, ordering, isPrivate }: NewGroup): Promise<void> {
    const seenAt = isPrivate ? this.kernel.now : null;
    await tx.execute`INSERT INTO framework_message_groups (topic, name, ordering, seen_at) VALUES (${topic}, ${name}, ${ordering}, ${seenAt})
        ON CONFLICT (topic, name) DO UPDATE SET ordering = excluded.ordering, seen_at = excluded.seen_at`;
  }

  /** Removes private groups of processes that have died, with their messages. */
  async prune(): Promise<void> {
    await this.kernel.transaction(async (tx) => {
      const dead = await tx.query<{ topic: string; name: string }>`DELETE FROM framework_message_groups
        WHERE seen_at < ${this.kernel.now} - ${PRIVATE_MS} RETURNING topic, name`;
      for (const { topic, name } of dead)
        await tx.execute`DELETE FROM framework_work WHERE queue = ${queueOf(topic, name)}`;
    });
  }

  /** Returns groups for which a message has been due for more than a day: the program no longer subscribes to them, or no process of it runs. */
  async unread(): Promise<readonly GroupName[]> {
    const { db, now } = this.kernel;
    const groups = await db.query<GroupName>`SELECT topic, name FROM framework_message_groups
      WHERE seen_at IS NULL ORDER BY topic, name`;
    if (groups.length === 0) return [];
    const queues = JSON.stringify(groups.map(({ topic, name }) => queueOf(topic, name)));
    const first = sql`(SELECT run_at FROM framework_work WHERE ${dueOf(sql`listed.queue`)} LIMIT 1)`;
    const rows = await db.query<{ queue: string }>`SELECT queue FROM ${listed[db.dialect](queues)}
      WHERE ${first} < ${now} - ${UNREAD_MS}`;
    const unread = new Set(rows.map(({ queue }) => queue));
    return groups.filter(({ topic, name }) => unread.has(queueOf(topic, name)));
  }

  /** Removes a group with its messages. Returns whether there was either. */
  async remove(topic: string, group: string): Promise<boolean> {
    return await this.kernel.transaction(async (tx) => {
      const groups =
        await tx.execute`DELETE FROM framework_message_groups WHERE topic = ${topic} AND name = ${group}`;
      const messages = await tx.execute`DELETE FROM framework_work WHERE queue = ${queueOf(topic, group)}`;
      return groups.changes + messages.changes > 0;
    });
  }

  /**
   * Gives messages to a group that were sent before there was one. Returns whether there were any.
   *
   * @param which `due`: only those without a delay, or whose delay is over, which an index finds; `all` reads the table
   */
  async adopt(
    topic: string,
    group: string,
    ordering: ConsumerOptions["order"],
    which: "all" | "due",
  ): Promise<boolean> {
    const [to, from] = [queueOf(topic, group), queueOf(topic, EARLY)];
    const early = which === "all" ? allOf(from) : dueOf(from);
    return await this.kernel.transaction(async (tx) => {
      const { changes } = await tx.execute`UPDATE framework_work SET queue = ${to},
        key = CASE WHEN ${ordering} = 'key' THEN key WHEN ${ordering} = 'partition' THEN '*' END
        WHERE id IN (SELECT id FROM framework_work WHERE ${early} LIMIT ${ADOPT})`;
      return changes > 0;
    });
  }
}

const allOf = (queue: string): Statement => sql`queue = ${queue} AND finished_at IS NULL ORDER BY id`;

/** Texts of a JSON list as rows with the column `queue`. */
const listed: Readonly<Record<Database["dialect"], (json: string) => Statement>> = {
  postgres: (json) => sql`jsonb_array_elements_text(${json}::jsonb) AS listed(queue)`,
  sqlite: (json) => sql`(SELECT value AS queue FROM json_each(${json})) AS listed`,
};

/** Items of a queue that are due, as the index of the work table has them. */
export const dueOf = (queue: string | Statement): Statement =>
  sql`queue = ${queue} AND state = 'ready' ORDER BY priority DESC, run_at, id`;
