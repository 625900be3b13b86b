import type { Logger } from "@framework/core";
import type { Clock, HostInsight, HostState, SharedValues } from "@framework/core/feature";
import type { Database, Statement } from "@framework/database";
import type { DurableConfig } from "../durable-config.ts";
import type { Place } from "../place/place.ts";
import type { KernelLife } from "./kernel-life.ts";
import type { TableSets } from "./table-sets.ts";

/**
 * What every part of the kernel is built on. Members are read when they are used: before the start, an app's database, configuration and log may be
 * unknown yet.
 */
export interface KernelBase {
  /** Identifies this kernel among all of its database: the owner of its leases. */
  readonly id: string;
  readonly db: Database;
  /** SQL expression of the current time: whole milliseconds of the database's clock. Use it more than once in a statement as often as needed. */
  readonly now: Statement;
  readonly config: Readonly<DurableConfig>;
  /** Decides only when to look again: times of this clock are never compared with others or stored. */
  readonly clock: Clock;
  readonly random: () => number;
  /** Where this process runs; read once, when the kernel begins. */
  readonly place: () => Place;
  readonly log: Logger;
  /** Messages between the workers of the service; `null` without an app. */
  readonly shared: SharedValues | null;
  /** Metrics, operations and invocations of the app; `null` without an app. */
  readonly host: KernelHost | null;
  readonly life: KernelLife;
  readonly tables: TableSets;
}

/** What the kernel needs from the host of an app. */
export interface KernelHost {
  /** Metrics, health checks and operations of the app. */
  readonly insight: HostInsight;
  /** Scopes of work, and the dependencies of its handlers. */
  readonly state: Pick<HostState, "invoke" | "inject">;
}
