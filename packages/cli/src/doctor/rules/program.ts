import type { DoctorRule } from "./facts.ts";

/** What the program says of itself: mistakes, warnings, and advice for as many hosts as the manifests have. */
export const ofProgram: DoctorRule = ({ program, missingProgram, workloads }) => {
  if (program === null)
    return missingProgram === undefined
      ? []
      : [{ code: "CLI_NO_PROGRAM", message: `${missingProgram}; name it: framework doctor src/main.ts` }];
  const { report, failure, path } = program;
  if (report === null)
    return [{ code: "CLI_NO_REPORT", message: `${path} --check gave no answer: ${failure}` }];
  const severalHosts = workloads.some(
    ({ kind, replicas, hasUnknownVariables }) =>
      kind === "kubernetes" && replicas > 1 && !hasUnknownVariables,
  );
  const { problems, advice } = report;
  const warnings = report.warnings.filter(({ code }) => code !== OF_THIS_PLACE);
  return [...problems, ...warnings, ...(severalHosts ? advice.severalHosts : advice.oneHost)];
};

/** A warning about the container in which the doctor itself may run; the manifests say where the service will. */
const OF_THIS_PLACE = "CORE_LOOPBACK_IN_CONTAINER";
