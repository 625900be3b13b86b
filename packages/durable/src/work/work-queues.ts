import { FrameworkError, type Injections } from "@framework/core";
import type { Transaction } from "@framework/database";
import { withoutTables } from "../base/without-tables.ts";
import type { KernelBase } from "../base/kernel-base.ts";
import type { RunTransaction } from "../group-commit/group-commit.ts";
import type { Owners } from "../owners/owners.ts";
import type { OpenParked } from "../parked/open-parked.ts";
import type { ParkedSource } from "../parked/parked-source.ts";
import type { WakeUp } from "../wake-up/wake-up.ts";
import { type ParkedItemsParts, parkedItemsSource, parkItems } from "./parked-items.ts";
import { WorkLoop } from "./loop/work-loop.ts";
import { OpenQueue } from "./open-queue.ts";
import { queueDefinition, type QueueOptions } from "./queue/queue-options.ts";
import type { NewRow } from "./table/enqueueing.ts";
import { workTables } from "./table/work-tables.ts";
import type { WorkQueue } from "./work-queue.ts";
import { type WorkStore, workStore } from "./table/work-store.ts";

/** Dependencies of `WorkQueues`. */
export interface WorkQueuesParts {
  readonly base: KernelBase;
  readonly owners: Owners;
  readonly wakeUp: WakeUp;
  readonly transaction: RunTransaction;
  readonly parked: OpenParked;
}

/** Maximum number of cached senders to queues of other processes; beyond it a sender is created for each call. */
const MAX_SENDERS = 1000;

/** Name of the set of tables. */
const WORK_TABLES = "durable-work";

/** The queues of a kernel. */
export class WorkQueues {
  readonly loop: WorkLoop;
  private readonly parts: WorkQueuesParts;
  private readonly queues = new Map<string, WorkQueue<unknown>>();
  private readonly parkedItems: ParkedSource;
  private openStore: WorkStore | null = null;
  private hasTable = false;
  private readonly senders = new Map<string, OpenQueue<unknown>>();

  constructor(parts: WorkQueuesParts) {
    const { base, owners, wakeUp } = parts;
    const items: ParkedItemsParts = { ...parts, store: () => this.store };
    this.parts = parts;
    this.parkedItems = parkedItemsSource(items);
    this.loop = new WorkLoop({ base, owners, wakeUp, park: parkItems(items), store: () => this.store });
    owners.add(this.loop);
    base.life.add(this.loop);
  }

  /** Opened lazily, because an app's database is known only after the start. */
  get store(): WorkStore {
    const { base, transaction } = this.parts;
    return (this.openStore ??= workStore({
      db: base.db,
      now: base.now.text,
      transaction,
      toError: (error) => (base.tables.arePrepared ? error : withoutTables(error)),
    }));
  }

  /** @throws ConfigurationError; DURABLE_QUEUE_TAKEN for a second queue with the same name; DURABLE_ALREADY_STARTED for the first queue after the start */
  add<T, I extends Injections | undefined>(options: QueueOptions<T, I>): WorkQueue<T> {
    const { base, wakeUp } = this.parts;
    const definition = queueDefinition(options);
    const { name, inject } = definition;
    if (this.queues.has(name))
      throw new FrameworkError(
        "DURABLE_QUEUE_TAKEN",
        `durable: a queue "${name}" already exists; rename one`,
      );
    this.useTable();
    if (inject !== undefined) base.host?.state.inject(`queue ${name}`, inject);
    this.loop.add(definition);
    const queue = new OpenQueue<T>({ name, store: () => this.store, loop: this.loop, wakeUp });
    this.queues.set(name, queue as WorkQueue<unknown>);
    return queue;
  }

  /** Adds the table once. A feature that defines queues after the start calls it before. @throws DURABLE_ALREADY_STARTED */
  useTable(): void {
    if (this.hasTable) return;
    this.parts.base.tables.add(WORK_TABLES, workTables);
    this.parts.parked.add(this.parkedItems);
    this.hasTable = true;
    this.loop.use();
  }

  /** Adds work to a queue that this process need not define. */
  async addTo(queue: string, rows: readonly NewRow[], tx?: Transaction): Promise<void> {
    const known = this.senders.get(queue);
    const sender =
      known ?? new OpenQueue({ ...this.parts, name: queue, store: () => this.store, loop: this.loop });
    if (known === undefined && this.senders.size < MAX_SENDERS) this.senders.set(queue, sender);
    await sender.addRows(rows, tx);
  }

  /** All queues, in the order in which they were defined. */
  all(): readonly WorkQueue<unknown>[] {
    return Array.from(this.queues.values());
  }
}
