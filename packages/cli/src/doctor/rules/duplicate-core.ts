import type { DoctorRule } from "./facts.ts";

/** Reports copies of core besides the first: each copy has its own classes, such as errors and keys. */
export const duplicateCore: DoctorRule = ({ otherCores }) =>
  otherCores.map(({ version, folder }) => ({
    code: "CLI_DUPLICATE_CORE",
    message: `there is a second copy of @framework/core, ${version}, in ${folder}; run npm dedupe, or update the package that brings it`,
  }));
