import type { DoctorRule } from "./facts.ts";

/** Reports workloads whose grace period does not exceed the preStop hook and drain: the process would be killed while the drain waits for requests. */
export const grace: DoctorRule = ({ program, workloads }) => {
  const drainSecs = program?.report?.settings.shutdownTimeoutSecs;
  if (drainSecs === undefined) return [];
  return workloads
    .filter(({ graceSecs, preStopSecs }) => graceSecs <= preStopSecs + drainSecs)
    .map(({ place, kind, graceSecs, preStopSecs }) => {
      const field = kind === "kubernetes" ? "terminationGracePeriodSeconds" : "stop_grace_period";
      const hook = preStopSecs === 0 ? "" : ` after a preStop hook of ${preStopSecs} s`;
      const needed = Math.ceil(preStopSecs + drainSecs + MARGIN_SECS);
      return {
        code: "CLI_SHORT_GRACE",
        message: `${place} is killed ${graceSecs} s after its shutdown begins, but a drain may take ${drainSecs} s${hook}; set ${field} to ${needed} s, or lower cluster.shutdownTimeoutSecs`,
      };
    });
};

/** Time for stop tasks and the exit, after the drain. */
const MARGIN_SECS = 5;
