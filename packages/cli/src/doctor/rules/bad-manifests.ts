import type { DoctorRule } from "./facts.ts";

/** Manifests that could not be read, so that no other rule has judged them. */
export const badManifests: DoctorRule = ({ unreadable }) =>
  unreadable.map(({ path, reason }) => ({
    code: "CLI_BAD_MANIFEST",
    message: `${path} was not checked: ${reason}`,
  }));
