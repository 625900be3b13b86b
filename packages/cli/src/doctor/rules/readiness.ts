import type { DoctorRule } from "./facts.ts";

/** Reports a missing readiness check or probe: an orchestrator would send requests to a process that is starting or draining. */
export const readiness: DoctorRule = ({ program, workloads }) => {
  const report = program?.report ?? null;
  if (report !== null && !report.hasReadiness && report.settings.env === "production" && workloads.length > 0)
    return [
      {
        code: "CLI_NO_READINESS",
        message:
          "the app has no readiness check; enableHealthChecks() of @framework/health adds /health/ready",
      },
    ];
  return workloads
    .filter(({ isProbed }) => isProbed === false)
    .map(({ place, kind }) => ({
      code: "CLI_NO_PROBE",
      message: `${place} has no ${kind === "kubernetes" ? "readinessProbe" : "healthcheck"}; add one that requests GET /health/ready`,
    }));
};
