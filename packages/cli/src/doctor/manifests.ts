import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isFolder } from "../app/is-folder.ts";
import { composeFacts } from "./compose.ts";
import { kubernetesFacts } from "./kubernetes.ts";
import type { Labels, ManifestFacts, Workload } from "./rules/facts.ts";
import { isRecord, recordsIn } from "./yaml-values.ts";

const FOLDERS = "{deploy,k8s,kubernetes,manifests}";
/** Most files that are read, and their size. */
const MAX_FILES = 200;
const MAX_BYTES = 1_048_576;

/** Reads the manifests of a project: Kubernetes and Compose. Files of other kinds, and templates such as those of Helm, are left out. */
export const readManifests = (cwd: string): ManifestFacts => {
  const paths = globSync(["*.{yaml,yml}", `${FOLDERS}/**/*.{yaml,yml}`], { cwd })
    .filter((path) => !isFolder(join(cwd, path)))
    .sort()
    .slice(0, MAX_FILES);
  return selected(merged(paths.map((path) => factsOf(path, readFileSync(join(cwd, path), "utf8")))));
};

/** Beside Services, a pod without ports that none of them selects gets no requests, such as one that works on a queue: it needs no probe. */
const selected = (facts: ManifestFacts): ManifestFacts => {
  const { selectors = [], workloads } = facts;
  const isServing = ({ labels }: Workload): boolean =>
    labels === undefined || selectors.length === 0 || selectors.some((each) => selects(each, labels));
  return {
    ...facts,
    workloads: workloads.map((each) =>
      isServing(each) || each.isProbed ? each : { ...each, isProbed: null },
    ),
  };
};

/** A Service without a selector selects none. */
const selects = (selector: Labels, labels: Labels): boolean => {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
};

const merged = (found: readonly ManifestFacts[]): ManifestFacts => ({
  workloads: found.flatMap(({ workloads }) => workloads),
  others: found.flatMap(({ others }) => others),
  proxies: found.flatMap(({ proxies }) => proxies),
  selectors: found.flatMap(({ selectors = [] }) => selectors),
  unreadable: found.flatMap(({ unreadable }) => unreadable),
});

const nothing: ManifestFacts = { workloads: [], others: [], proxies: [], unreadable: [] };

/** What every manifest has. A file without it is of another kind, however large or broken. */
const OF_MANIFEST = /\b(?:apiVersion|services)["']?\s*:/;
/** What templates have: they are no YAML before they are filled in. */
const OF_TEMPLATE = "{{";

const factsOf = (path: string, text: string): ManifestFacts => {
  if (!OF_MANIFEST.test(text)) return nothing;
  if (text.length > MAX_BYTES) return unread(path, `it is larger than ${MAX_BYTES} bytes`);
  const parts = parseAllDocuments(text, { logLevel: "silent" });
  const found = [...parts].map((document): ManifestFacts => {
    const [error] = document.errors;
    const [start, , end] = document.range;
    if (error !== undefined)
      return text.slice(start, end).includes(OF_TEMPLATE) ? nothing : unread(path, firstLine(error));
    try {
      return factsIn(path, document.toJS({ maxAliasCount: 100 }));
    } catch (cause) {
      return unread(path, firstLine(cause)); // such as too many aliases
    }
  });
  const facts = merged(found);
  return { ...facts, unreadable: facts.unreadable.slice(0, 1) };
};

const unread = (path: string, reason: string): ManifestFacts => ({
  ...nothing,
  unreadable: [{ path, reason }],
});

/** The message of a parser without the excerpt that follows it. */
const firstLine = (error: unknown): string =>
  `it is no YAML: ${(Error.isError(error) ? error.message : String(error)).split("\n")[0]?.replace(/:$/, "")}`;

const factsIn = (path: string, value: unknown): ManifestFacts => {
  if (!isRecord(value)) return nothing;
  if (value["kind"] === "List") return merged(recordsIn(value["items"]).map((item) => factsIn(path, item)));
  const facts =
    typeof value["apiVersion"] === "string" ? kubernetesFacts(path, value) : composeFacts(path, value);
  return { ...nothing, ...facts };
};
