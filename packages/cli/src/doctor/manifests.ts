import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { composeFacts } from "./compose.ts";
import { kubernetesFacts } from "./kubernetes.ts";
import type { ManifestFacts } from "./rules/facts.ts";
import { isRecord } from "./yaml-values.ts";

const FOLDERS = "{deploy,k8s,kubernetes,manifests}";
/** Most files that are read, and their size. */
const MAX_FILES = 200;
const MAX_BYTES = 1_048_576;

/** Reads the manifests of a project: Kubernetes and Compose; files of other kinds, and templates that are no YAML, are left out. */
export const readManifests = (cwd: string): ManifestFacts => {
  const paths = globSync(["*.{yaml,yml}", `${FOLDERS}/**/*.{yaml,yml}`], { cwd })
    .sort()
    .slice(0, MAX_FILES);
  const found = paths.flatMap((path) => documentsIn(join(cwd, path)).map((value) => factsIn(path, value)));
  return {
    workloads: found.flatMap(({ workloads }) => workloads),
    proxies: found.flatMap(({ proxies }) => proxies),
  };
};

const documentsIn = (path: string): readonly unknown[] => {
  const text = readFileSync(path, "utf8");
  if (text.length > MAX_BYTES) return [];
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  return [...documents]
    .filter(({ errors }) => errors.length === 0)
    .map((document) => document.toJS({ maxAliasCount: 100 }) as unknown);
};

const factsIn = (path: string, value: unknown): ManifestFacts => {
  if (!isRecord(value)) return { workloads: [], proxies: [] };
  return typeof value["apiVersion"] === "string" ? kubernetesFacts(path, value) : composeFacts(path, value);
};
