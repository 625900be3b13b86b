import {
  type Clock,
  type ConfigInput,
  type Host,
  type SharedValues,
  systemClock,
  type Task,
} from "@framework/core/feature";
import type { AppSettings, Logger, Problem } from "@framework/core";
import type { Database, DatabaseMethods, Statement } from "@framework/database";
import { adminRoutes } from "./admin/admin-routes.ts";
import { workPanel } from "./admin/work-panel.ts";
import type { KernelHost } from "./base/kernel-base.ts";
import { configProblems, DurableConfig } from "./durable-config.ts";
import { type BuiltKernel, buildKernel, type Kernel, type KernelSources } from "./kernel/kernel.ts";
import { type Place, thisPlace } from "./place/place.ts";
import { databaseNow } from "./time/database-now.ts";

/** Added to the time limit of the migrations for the rest of the start task. */
const START_RESERVE_SECS = 60;

/** The kernel of an app. Reads the app's database, configuration and log lazily, and registers its lifecycle tasks when a feature first uses it. */
export class AppKernel implements KernelSources {
  readonly clock: Clock = systemClock;
  readonly random: () => number = Math.random;
  readonly place: () => Place = thisPlace;
  readonly host: KernelHost;
  config: Readonly<DurableConfig> = DurableConfig.of();
  private readonly appHost: Host;
  private readonly needs: DatabaseMethods;
  private readonly built: BuiltKernel;
  private settings: AppSettings | null = null;
  private isUsed = false;

  constructor(host: Host, needs: DatabaseMethods) {
    this.appHost = host;
    this.host = host;
    this.needs = needs;
    this.built = buildKernel(this, (name) => this.use(name));
  }

  get kernel(): Kernel {
    return this.built.kernel;
  }

  get db(): Database {
    return this.needs.db;
  }

  get now(): Statement {
    return databaseNow(this.db.dialect);
  }

  get log(): Logger {
    return this.settings?.log ?? console;
  }

  get shared(): SharedValues | null {
    return this.settings?.shared.values ?? null;
  }

  configure(config: ConfigInput<DurableConfig> | undefined): void {
    this.config = this.appHost.configure(DurableConfig, config);
    for (const message of configProblems(this.config)) {
      this.appHost.problem({ code: "CORE_BAD_CONFIG", message });
    }
    const { admin } = this.config;
    if (admin === undefined) return;
    this.kernel.use("enableDurable({ admin })").parked.useTable();
    adminRoutes(this.appHost, admin, this.kernel);
  }

  /** Returns the kernel. Before the start it also adds the table of parked work, so that operators can read it before a feature parks anything. */
  withTables(): Kernel {
    if (this.settings === null) this.kernel.parked.useTable();
    return this.kernel;
  }

  private use(name: string): void {
    if (this.isUsed) return;
    this.isUsed = true;
    const { life } = this.appHost;
    this.appHost.check(() => (life.enabledFeatures().includes("enableDatabase") ? [] : [noDatabase(name)]));
    this.built.life.report(this.host.insight);
    this.host.insight.panel(workPanel(() => this.kernel.queues()));
    life.onStart(this.startTask());
    life.onListening({ name: "durable", run: () => this.built.life.begin() });
    life.onDrain((deadline) => this.built.life.drain(deadline));
    life.onStop({ name: "durable", run: () => this.built.life.stop() });
  }

  private async prepare(settings: AppSettings, signal: AbortSignal): Promise<void> {
    this.settings = settings;
    const migrate = this.config.migrateAtStart ?? settings.env !== "production";
    await this.built.prepare({ migrate, signal });
  }

  /** The limit is read lazily: `enableDurable` may be called after the feature that uses the kernel. */
  private startTask(): Task {
    const limitSecs = (): number => this.config.migrationTimeoutSecs + START_RESERVE_SECS;
    return {
      name: "durable",
      get timeoutSecs() {
        return limitSecs();
      },
      run: (settings, signal) => this.prepare(settings, signal),
    };
  }
}

const noDatabase = (name: string): Problem => ({
  code: "DURABLE_NO_DATABASE",
  message: `durable: ${name} needs a database; call enableDatabase()`,
});
