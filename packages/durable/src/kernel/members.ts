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

/** Members of the kernel, each implemented in the folder of its part. */
export interface KernelMembers {
  /** Notifies this and other processes of new work. */
  readonly wakeUp: WakeUp;
  /**
   * Shares work of one kind among all processes, evenly: each lane runs in one process at a time, and moves when a process starts, stops or dies.
   * In a process with `runWork: false` no lane runs.
   *
   * @throws DURABLE_BAD_NAME, DURABLE_BAD_LANES
   */
  lanes(options: LanesOptions): Lanes;
  /**
   * Claims a lease for work that only one process may do. The lease is renewed until it is released or lost. `null` if it is taken, if this process holds
   * 10,000 leases, or once the kernel is stopping.
   *
   * @param kind purpose of the lease; `kind` and `name` have 1 to 200 printable ASCII characters
   * @throws DURABLE_BAD_NAME
   */
  acquireLease(kind: string, name: string): Promise<HeldLease | null>;
  /**
   * Defines a queue of items on the database, and works on it once started. Every process of the app must define the same queues.
   *
   * @throws ConfigurationError CORE_BAD_CONFIG; DURABLE_QUEUE_TAKEN; DURABLE_ALREADY_STARTED when the first queue is defined after the start
   */
  queue<T, I extends Injections | undefined = undefined>(options: QueueOptions<T, I>): WorkQueue<T>;
  /** All queues of this process. */
  queues(): readonly WorkQueue<unknown>[];
  /** Adds work to queues that this process need not define, for features that serialise work themselves. */
  readonly work: RawWork;
  /** Work that gave up: features register sources that park work and take it back; operators list, replay and discard it. */
  readonly parked: ParkedWork &
    Pick<OpenParked, "add" | "checkRoom" | "park" | "useTable"> & { readonly inOrder: ParkedInOrder };
  /**
   * Keeps rows of a feature's own table leased to this process: renews them every third of a lease, and lets other processes of the same host or container take
   * them over soon after this one ends. Call it in `enableX`.
   */
  leaseRows(table: LeasedTable): RowLeases;
  /** Runs a function in a transaction; on SQLite, small concurrent transactions share a commit. @throws HttpError 503 (DURABLE_BUSY) when 10,000 are waiting */
  readonly transaction: RunTransaction;
}

/** Creates the parts of a kernel. They begin in the order of `life.add`, and stop in reverse. */
export const kernelMembers = (base: KernelBase): KernelMembers => {
  const { wakeUp, owners, leases, lanes } = leaseParts(base);
  let group: RunTransaction | null = null;
  const transaction: RunTransaction = (run, alone) => (group ??= groupCommit(base.db))(run, alone); // lazy, because an app's database is not known yet
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
