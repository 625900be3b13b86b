import type { Problem } from "../../errors/configuration-error.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";
import type { RunSettings } from "../settings/settings.ts";

/** Returns the JSON line of `--check`: mistakes, warnings, advice, and the settings that a deployment depends on. It contains no secrets. */
export const checkLine = (app: Runnable, settings: RunSettings, problems: readonly Problem[]): string => {
  const { env, debug, host, port, workers, trustedProxies, cluster, tls } = settings;
  const { routes, features, warnings, needsReadinessDelay } = app.report();
  const { shutdownTimeoutSecs, readinessDelaySecs } = cluster;
  return `${JSON.stringify({
    event: "check",
    problems,
    warnings: [...settings.warnings, ...warnings],
    advice: { oneHost: app.advice(false), severalHosts: app.advice(true) },
    settings: {
      env,
      debug,
      host,
      port,
      workers,
      trustedProxies,
      shutdownTimeoutSecs,
      readinessDelaySecs: readinessDelaySecs ?? null,
      tls: tls !== undefined,
    },
    routes,
    features,
    hasReadiness: needsReadinessDelay,
  })}\n`;
};
