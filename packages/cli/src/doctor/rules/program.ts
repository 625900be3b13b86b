import type { DoctorRule } from "./facts.ts";

/** Reports the program's own problems and warnings, and its advice for one host or several, depending on the manifests. */
export const programFindings: DoctorRule = ({ program, missingProgram, workloads }) => {
  if (program === null)
    return missingProgram === undefined
      ? []
      : [{ code: "CLI_NO_PROGRAM", message: `${missingProgram}; name it: framework doctor src/main.ts` }];
  const { report, failure, path } = program;
  if (report === null)
    return [{ code: "CLI_NO_REPORT", message: `${path} --check printed no report: ${failure}` }];
  const severalHosts = workloads.some(
    ({ kind, replicas, hasUnknownVariables }) =>
      kind === "kubernetes" && replicas > 1 && !hasUnknownVariables,
  );
  const { problems, advice } = report;
  const warnings = report.warnings.filter(({ code }) => code !== CONTAINER_WARNING);
  return [...problems, ...warnings, ...(severalHosts ? advice.severalHosts : advice.oneHost)];
};

/** A warning about the container in which doctor itself may run; the service may run elsewhere. */
const CONTAINER_WARNING = "CORE_LOOPBACK_IN_CONTAINER";
