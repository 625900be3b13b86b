import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { isFolder } from "../app/is-folder.ts";
import { composeFacts } from "./compose.ts";
import { kubernetesFacts } from "./kubernetes.ts";
import type { Labels, ManifestFacts, Workload } from "./rules/facts.ts";
import { isRecord, recordsIn } from "./yaml-values.ts";

const FOLDERS = "{deploy,k8s,kubernetes,manifests}";
/** Maximum number of files, and maximum bytes of each. */
const MAX_FILES = 200;
const MAX_BYTES = 1_048_576;

/** Reads the Kubernetes and Compose manifests of a project. Other files, and templates such as Helm's, are skipped. */
export const readManifests = (cwd: string): ManifestFacts => {
  const paths = globSync(["*.{yaml,yml}", `${FOLDERS}/**/*.{yaml,yml}`], { cwd })
    .filter((path) => existsSync(join(cwd, path)) && !isFolder(join(cwd, path))) // a link may lead nowhere
    .sort()
    .slice(0, MAX_FILES);
  return exemptUnselected(merge(paths.map((path) => factsOf(path, readFileSync(join(cwd, path), "utf8")))));
};

/** Clears `isProbed` of pods without ports that no Service selects, if there are Services: such a pod, for example a queue worker, gets no requests. */
const exemptUnselected = (facts: ManifestFacts): ManifestFacts => {
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

/** Whether a Service selects a pod; without a selector it selects none. */
const selects = (selector: Labels, labels: Labels): boolean => {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
};

const merge = (found: readonly ManifestFacts[]): ManifestFacts => ({
  workloads: found.flatMap(({ workloads }) => workloads),
  others: found.flatMap(({ others }) => others),
  proxies: found.flatMap(({ proxies }) => proxies),
  selectors: found.flatMap(({ selectors = [] }) => selectors),
  unreadable: found.flatMap(({ unreadable }) => unreadable),
});

const noFacts: ManifestFacts = { workloads: [], others: [], proxies: [], unreadable: [] };

/** A key of every manifest. A file without it is skipped, even if it is too large or malformed. */
const MANIFEST_KEY = /\b(?:apiVersion|services)["']?\s*:/;
/** Mark of a template, which need not be valid YAML. */
const TEMPLATE_MARK = "{{";

const factsOf = (path: string, text: string): ManifestFacts => {
  if (!MANIFEST_KEY.test(text)) return noFacts;
  if (Buffer.byteLength(text) > MAX_BYTES)
    return unreadableFile(path, `it is larger than ${MAX_BYTES} bytes`);
  const parts = parseAllDocuments(text, { logLevel: "silent", merge: true }); // Compose files share parts with `<<`
  const found = [...parts].map((document): ManifestFacts => {
    const [error] = document.errors;
    const [start, , end] = document.range;
    if (error !== undefined)
      return text.slice(start, end).includes(TEMPLATE_MARK)
        ? noFacts
        : unreadableFile(path, firstLine(error));
    try {
      return factsIn(path, document.toJS({ maxAliasCount: 100 }));
    } catch (cause) {
      return unreadableFile(path, firstLine(cause)); // such as too many aliases
    }
  });
  const facts = merge(found);
  return { ...facts, unreadable: facts.unreadable.slice(0, 1) };
};

const unreadableFile = (path: string, reason: string): ManifestFacts => ({
  ...noFacts,
  unreadable: [{ path, reason }],
});

/** Returns the parser's message without the excerpt that follows it. */
const firstLine = (error: unknown): string =>
  `it is not valid YAML: ${(Error.isError(error) ? error.message : String(error)).split("\n")[0]?.replace(/:$/, "")}`;

const factsIn = (path: string, value: unknown): ManifestFacts => {
  if (!isRecord(value)) return noFacts;
  if (value["kind"] === "List") return merge(recordsIn(value["items"]).map((item) => factsIn(path, item)));
  const facts =
    typeof value["apiVersion"] === "string" ? kubernetesFacts(path, value) : composeFacts(path, value);
  return { ...noFacts, ...facts };
};
