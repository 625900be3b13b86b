import type { Injections } from "@framework/core";
import type { KernelBase } from "../base/kernel-base.ts";
import { groupCommit, type RunTransaction } from "../group-commit/group-commit.ts";
import type { HeldLease } from "../leases/held-lease.ts";
import type { Lanes, LanesOptions } from "../lanes/lane.ts";
import { OpenParked } from "../parked/open-parked.ts";
import type { ParkedInOrder } from "../parked/parked-source.ts";
import type { ParkedWork } from "../parked/parked-work.ts";
import type { LeasedTable } from "../owners/leased-table.ts";
import { leaseRows, type RowLeases } from "../owners/row-leases.ts";
import type { WakeUp } from "../wake-up/wake-up.ts";
import type { QueueOptions } from "../work/queue/queue-options.ts";
import type { WorkQueue } from "../work/work-queue.ts";
import type { RawWork } from "../work/raw-work.ts";
import { WorkQueues } from "../work/work-queues.ts";
import { leaseParts } from "./lease-parts.ts";

/** Members of the kernel, each from the folder of its part. */
export interface KernelMembers {
  /** Tells other processes that there is work. */
  readonly wakeUp: WakeUp;
  /**
   * Shares work of one kind over all processes: each lane runs in one of them at a time, fairly distributed, and moves when a process comes, goes or dies.
   * Nothing runs in a process with `runWork: false`.
   *
   * @throws DURABLE_BAD_NAME, DURABLE_BAD_LANES
   */
  lanes(options: LanesOptions): Lanes;
  /**
   * Claims a lease for work that only one process may do; `null` when another one owns it. It is renewed until it is released or lost.
   *
   * @param kind what it is for; `kind` and `name` have 1 to 200 printable ASCII characters
   * @throws DURABLE_BAD_NAME
   */
  acquireLease(kind: string, name: string): Promise<HeldLease | null>;
  /**
   * Defines a queue of items on the database, and works on it from the start on. Every process of the app defines the same queues.
   *
   * @throws ConfigurationError CORE_BAD_CONFIG; DURABLE_QUEUE_TAKEN; DURABLE_ALREADY_STARTED when the first queue is defined after the start
   */
  queue<T, I extends Injections | undefined = undefined>(options: QueueOptions<T, I>): WorkQueue<T>;
  /** All queues of this process. */
  queues(): readonly WorkQueue<unknown>[];
  /** Queues of other processes, for features that serialise work themselves. */
  readonly work: RawWork;
  /** Work that gave up: features register what parks work and takes it back; operators list, replay and discard it. */
  readonly parked: ParkedWork &
    Pick<OpenParked, "add" | "hasRoom" | "park" | "useTable"> & { readonly inOrder: ParkedInOrder };
  /**
   * Keeps the rows of a feature's own table leased to this process: they are renewed every third of a lease, and expire at once when their process ends on
   * the same host. Call it in `enableX`.
   */
  leaseRows(table: LeasedTable): RowLeases;
  /** Runs a function in a transaction; on SQLite many small ones share a commit. @throws HttpError 503 (DURABLE_BUSY) when 10,000 wait */
  readonly transaction: RunTransaction;
}

/** Creates the parts of a kernel. They begin in the order of `life.add`, and stop in reverse. */
export const kernelMembers = (base: KernelBase): KernelMembers => {
  const { wakeUp, owners, leases, lanes } = leaseParts(base);
  let group: RunTransaction | null = null;
  const transaction: RunTransaction = (run, alone) => (group ??= groupCommit(base.db))(run, alone); // the database of an app is known later
  const parked = new OpenParked(base, transaction);
  const work = new WorkQueues({ base, owners, wakeUp, transaction, parked });
  base.life.add(parked);
  return {
    wakeUp,
    lanes: (options) => lanes.add(options),
    acquireLease: (kind, name) => leases.acquire(kind, name),
    queue: (options) => work.add(options),
    queues: () => work.all(),
    work: { useTable: () => work.useTable(), add: (queue, rows, tx) => work.addTo(queue, rows, tx) },
    parked,
    leaseRows: (table) => leaseRows(base, owners, table),
    transaction,
  };
};
