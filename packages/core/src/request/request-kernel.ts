import type { Container } from "../dependencies/container.ts";
import type { AppSettings } from "../lifecycle/app-settings.ts";
import type { BackgroundTasks } from "../lifecycle/background-tasks.ts";
import type { Draining } from "../lifecycle/draining.ts";
import type { TrustedProxies } from "./client-address.ts";

/** State that all requests of one started app share. */
export interface RequestKernel {
  readonly app: object;
  readonly settings: AppSettings;
  readonly trustedProxies: TrustedProxies;
  readonly container: Container;
  readonly background: BackgroundTasks;
  readonly draining: Draining;
}
