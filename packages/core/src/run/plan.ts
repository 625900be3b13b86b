import type { Logger } from "../lifecycle/logger.ts";
import type { AppReport } from "./runnable.ts";
import type { RunSettings } from "./settings.ts";

/** What `run` decided: settings, where to write, and whose the process is. */
export interface Plan {
  readonly settings: RunSettings;
  readonly log: Logger;
  /** Whether signals and uncaught errors end the process. */
  readonly ownsProcess: boolean;
  /** Tells the world that the service listens; called once, when it does. */
  readonly announce: (url: string, report: AppReport) => void;
}
