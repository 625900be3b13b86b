import { badManifests } from "./bad-manifests.ts";
import type { DoctorRule } from "./facts.ts";
import { grace } from "./grace.ts";
import { programFindings } from "./program.ts";
import { untrustedProxies } from "./proxies.ts";
import { readiness } from "./readiness.ts";
import { twoCores } from "./two-cores.ts";
import { versionSkew } from "./version-skew.ts";
import { weakSecrets } from "./weak-secrets.ts";

/** Every rule, in the order of its findings. */
export const rules: readonly DoctorRule[] = [
  programFindings,
  versionSkew,
  twoCores,
  badManifests,
  weakSecrets,
  readiness,
  grace,
  untrustedProxies,
];
