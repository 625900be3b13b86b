import { createHash } from "node:crypto";
import type { Kernel } from "@framework/durable/feature";
import { type Database, type Queries, sql, type Statement, type Transaction } from "@framework/database";
import type { ConsumerOptions } from "../port/broker-adapter.ts";
import { endsWithProcess } from "../request/reply-topics.ts";

/** Queue and order of a group. */
export interface Group {
  readonly queue: string;
  readonly ordering: ConsumerOptions["order"];
}

/** Topic and name of a group. */
export interface GroupName {
  readonly topic: string;
  readonly name: string;
}

/** A group to register. */
export interface NewGroup extends GroupName {
  readonly ordering: ConsumerOptions["order"];
  /** Whether the group ends with this process. The process then registers it periodically. */
  readonly isPrivate: boolean;
}

/** Time since its last registration after which a private group is removed. */
const PRIVATE_MS = 3_600_000;

/** Time after which a due message counts as unread: a day. */
const UNREAD_MS = 86_400_000;

/** Name of the group that keeps messages sent before a topic has a group. */
const EARLY = "";

/** Maximum number of rows that one statement moves to the first group. */
const ADOPT_BATCH = 1000;

/** Returns the queue name of a group; hashed above 100 characters, the limit of queue names. */
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

  /** Returns the groups that receive a message. If the topic has none, returns the early group, or an empty list for a private topic, whose process has ended. */
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
   * Atomically registers groups. Each receives every message sent after the commit, with the `ordering` of its latest registration.
   */
  async register(groups: readonly NewGroup[]): Promise<void> {
    if (groups.length === 0) return;
    const sorted = groups.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)); // if processes used different orders, they could deadlock
    await this.kernel.transaction(async (tx) => {
      for (const group of sorted) await this.add(tx, group);
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

  /** Returns shared groups with a message that has been due for more than a day, usually because no process subscribes to them. */
  async unread(): Promise<readonly GroupName[]> {
    const { db, now } = this.kernel;
    const groups = await db.query<GroupName>`SELECT topic, name FROM framework_message_groups
      WHERE seen_at IS NULL ORDER BY topic, name`;
    if (groups.length === 0) return [];
    const queues = JSON.stringify(groups.map(({ topic, name }) => queueOf(topic, name)));
    const first = sql`(SELECT run_at FROM framework_work WHERE ${dueOf(sql`listed.queue`)} LIMIT 1)`;
    const rows = await db.query<{ queue: string }>`SELECT queue FROM ${queueRows[db.dialect](queues)}
      WHERE ${first} < ${now} - ${UNREAD_MS}`;
    const unread = new Set(rows.map(({ queue }) => queue));
    return groups.filter(({ topic, name }) => unread.has(queueOf(topic, name)));
  }

  /** Removes a group with its messages. Returns whether the group or a message of it existed. */
  async remove(topic: string, group: string): Promise<boolean> {
    return await this.kernel.transaction(async (tx) => {
      const groups =
        await tx.execute`DELETE FROM framework_message_groups WHERE topic = ${topic} AND name = ${group}`;
      const messages = await tx.execute`DELETE FROM framework_work WHERE queue = ${queueOf(topic, group)}`;
      return groups.changes + messages.changes > 0;
    });
  }

  /**
   * Moves up to 1,000 messages that were sent before the topic had a group to this group. Returns whether it moved any.
   *
   * @param scope `due` finds only due messages, by an index; `all` also delayed ones, by reading the table
   */
  async adopt(
    topic: string,
    group: string,
    ordering: ConsumerOptions["order"],
    scope: "all" | "due",
  ): Promise<boolean> {
    const [to, from] = [queueOf(topic, group), queueOf(topic, EARLY)];
    const early = scope === "all" ? allOf(from) : dueOf(from);
    const locked = this.kernel.db.dialect === "postgres" ? sql`FOR UPDATE SKIP LOCKED` : sql``; // without locks, PostgreSQL would also move rows that another group adopts meanwhile
    return await this.kernel.transaction(async (tx) => {
      const { changes } = await tx.execute`UPDATE framework_work SET queue = ${to},
        key = CASE WHEN ${ordering} = 'key' THEN key WHEN ${ordering} = 'partition' THEN '*' END
        WHERE id IN (SELECT id FROM framework_work WHERE ${early} LIMIT ${ADOPT_BATCH} ${locked})`;
      return changes > 0;
    });
  }
}

const keyOf = ({ topic, name }: GroupName): string => `${topic}\n${name}`;

const allOf = (queue: string): Statement => sql`queue = ${queue} AND finished_at IS NULL ORDER BY id`;

/** Strings of a JSON array as rows with the column `queue`. */
const queueRows: Readonly<Record<Database["dialect"], (json: string) => Statement>> = {
  postgres: (json) => sql`jsonb_array_elements_text(${json}::jsonb) AS listed(queue)`,
  sqlite: (json) => sql`(SELECT value AS queue FROM json_each(${json})) AS listed`,
};

/** Due items of a queue, in the order of the work table's index. */
export const dueOf = (queue: string | Statement): Statement =>
  sql`queue = ${queue} AND state = 'ready' ORDER BY priority DESC, run_at, id`;
