import { badManifests } from "./bad-manifests.ts";
import type { DoctorRule } from "./facts.ts";
import { grace } from "./grace.ts";
import { programFindings } from "./program.ts";
import { untrustedProxies } from "./proxies.ts";
import { readiness } from "./readiness.ts";
import { duplicateCore } from "./duplicate-core.ts";
import { versionSkew } from "./version-skew.ts";
import { weakSecrets } from "./weak-secrets.ts";

/** All rules. Findings are reported in this order. */
export const rules: readonly DoctorRule[] = [
  programFindings,
  versionSkew,
  duplicateCore,
  badManifests,
  weakSecrets,
  readiness,
  grace,
  untrustedProxies,
];
