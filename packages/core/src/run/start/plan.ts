import type { Logger } from "../../log/logger.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import type { RunSettings } from "../settings/settings.ts";
import type { OwnedProcess } from "../stop/owned-process.ts";

/** Where a service listens. */
export interface ServiceAddress {
  readonly url: string;
  /** Ports of features. */
  readonly listeners: readonly ListenerAddress[];
}

/** Everything that `run` decided: the settings, the log, and whether the process is its own. */
export interface Plan {
  readonly settings: RunSettings;
  readonly log: Logger;
  /** The process, where signals and uncaught errors end it; `null` in a larger program, and in a worker, whose primary owns it. */
  readonly process: OwnedProcess | null;
  /** Announces the service; called once, when everything is up. */
  readonly announce: (where: ServiceAddress, report: AppReport) => void;
}
