import type { DoctorRule } from "./facts.ts";

/** Copies of core beside the first: classes such as errors and keys differ between copies. */
export const twoCores: DoctorRule = ({ otherCores }) =>
  otherCores.map(({ version, folder }) => ({
    code: "CLI_TWO_CORES",
    message: `there is a second copy of @framework/core, ${version}, in ${folder}; npm dedupe, or update the package that brings it`,
  }));
