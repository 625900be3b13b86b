import type { Logger } from "../../log/logger.ts";
import type { ListenerAddress } from "../../lifecycle/listener.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import type { RunSettings } from "../settings/settings.ts";
import type { OwnedProcess } from "../stop/owned-process.ts";

/** Address of a service. */
export interface ServiceAddress {
  readonly url: string;
  /** Ports of features. */
  readonly listeners: readonly ListenerAddress[];
}

/** The result of `run`'s preparation: settings, log, and whether the service owns the process. */
export interface Plan {
  readonly settings: RunSettings;
  readonly log: Logger;
  /** The process, which ends on signals and uncaught errors; `null` in an embedding program, and in a worker, which its primary ends. */
  readonly process: OwnedProcess | null;
  /** Announces the service; called once, when it is ready. */
  readonly announce: (where: ServiceAddress, report: AppReport) => void;
}
