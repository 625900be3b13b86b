import type { DoctorRule } from "./facts.ts";

/** Reports manifests that could not be read: other rules did not check them. */
export const badManifests: DoctorRule = ({ unreadable }) =>
  unreadable.map(({ path, reason }) => ({
    code: "CLI_BAD_MANIFEST",
    message: `${path} was not checked: ${reason}`,
  }));
