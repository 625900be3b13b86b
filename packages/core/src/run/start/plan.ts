import type { Logger } from "../../log/logger.ts";
import type { AppReport } from "../../lifecycle/runnable.ts";
import type { RunSettings } from "../settings/settings.ts";

/** What `run` decided: settings, where to write, and whose the process is. */
export interface Plan {
  readonly settings: RunSettings;
  readonly log: Logger;
  /** Whether signals and uncaught errors end the process. */
  readonly ownsProcess: boolean;
  /** Tells the world that the service listens; called once, when it does. */
  readonly announce: (url: string, report: AppReport) => void;
}
