import type { Problem } from "../../errors/configuration-error.ts";
import type { RunSettings } from "./settings.ts";

/** What a person should know about settings that are possible but odd. */
export const settingWarnings = (
  { env, debug, host, reload }: Pick<RunSettings, "env" | "debug" | "host" | "reload">,
  workersAsked: number,
): Problem[] => {
  const found: Problem[] = [];
  if (debug && env === "production") {
    found.push({
      code: "CORE_DEBUG_IN_PRODUCTION",
      message: "debug in production means one worker and request lines; replies stay without details",
    });
  }
  if (debug && env === "development" && !isLoopback(host)) {
    found.push({
      code: "CORE_DEBUG_EXPOSED",
      message: `debug shows messages and stacks to everyone who reaches ${host}; use --env production or --no-debug`,
    });
  }
  if (reload && workersAsked > 1) {
    found.push({ code: "CORE_RELOAD_WORKERS", message: "reload runs one worker, whatever workers says" });
  }
  return found;
};

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
