import type { Logger } from "@framework/core";
import type { Clock, HostInsight, HostState, SharedValues } from "@framework/core/feature";
import type { Database, Statement } from "@framework/database";
import type { DurableConfig } from "../durable-config.ts";
import type { Place } from "../place/place.ts";
import type { KernelLife } from "./kernel-life.ts";
import type { TableSets } from "./table-sets.ts";

/**
 * Shared dependencies of all parts of the kernel. Read the members lazily: before the start, an app's database, configuration and log may be
 * unknown yet.
 */
export interface KernelBase {
  /** Id of this kernel, unique in its database; the owner of its leases. */
  readonly id: string;
  readonly db: Database;
  /** SQL expression of the current time: whole milliseconds of the database's clock. A statement may use it several times. */
  readonly now: Statement;
  readonly config: Readonly<DurableConfig>;
  /** Clock for local timers only: its times are never stored or compared with times of other clocks. */
  readonly clock: Clock;
  readonly random: () => number;
  /** Returns the host or container in which this process runs; called once, when the process registers. */
  readonly place: () => Place;
  readonly log: Logger;
  /** Messages between the workers of the service; `null` if there are none, as before the start of an app. */
  readonly shared: SharedValues | null;
  /** Metrics, operations and invocations of the app; `null` without an app. */
  readonly host: KernelHost | null;
  readonly life: KernelLife;
  readonly tables: TableSets;
}

/** The parts of an app's `Host` that the kernel uses. */
export interface KernelHost {
  /** Metrics, health checks and operations of the app. */
  readonly insight: HostInsight;
  /** Scopes of work, and the dependencies of its handlers. */
  readonly state: Pick<HostState, "invoke" | "inject">;
}
