import type { DoctorRule } from "./facts.ts";

/** Reports manifests that could not be read, and so were not checked by other rules. */
export const badManifests: DoctorRule = ({ unreadable }) =>
  unreadable.map(({ path, reason }) => ({
    code: "CLI_BAD_MANIFEST",
    message: `${path} was not checked: ${reason}`,
  }));
