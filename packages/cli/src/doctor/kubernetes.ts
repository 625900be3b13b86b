import type { DeploymentFacts, Labels, Workload } from "./rules/facts.ts";
import { isRecord, numberOr, recordAt, recordsIn, type YamlRecord } from "./yaml-values.ts";

/** Kinds whose pods serve requests. */
const servingKinds: readonly unknown[] = ["Deployment", "StatefulSet", "DaemonSet", "Pod"];
const batchKinds: readonly unknown[] = ["Job", "CronJob"];
const proxyKinds: readonly unknown[] = ["Ingress", "HTTPRoute", "IngressRoute", "VirtualService"];

/**
 * Reads one Kubernetes object. The containers with `ports` are the service. If no container of a pod lists ports, which Kubernetes allows, all containers
 * are the service, and the labels show whether a Service selects the pod.
 * Containers with images of databases, brokers and proxies are ignored. A container without an image, as in a Kustomize patch, contributes only its variables.
 */
export const kubernetesFacts = (path: string, object: YamlRecord): DeploymentFacts => {
  const { kind } = object;
  const { name } = recordAt(object, "metadata");
  const place = `${path}: ${String(kind)} ${typeof name === "string" ? name : "without a name"}`;
  if (proxyKinds.includes(kind)) return { workloads: [], others: [], proxies: [place] };
  if (kind === "Service")
    return { workloads: [], others: [], proxies: [], selectors: [recordAt(object, "spec", "selector")] };
  if (![...servingKinds, ...batchKinds].includes(kind)) return { workloads: [], others: [], proxies: [] };
  const pod = podOf(object);
  const containers = recordsIn(pod["containers"]).filter(isOwn);
  const complete = containers.filter(({ image }) => typeof image === "string");
  const withPorts = complete.filter(({ ports }) => recordsIn(ports).length > 0);
  const serving = batchKinds.includes(kind) ? [] : withPorts.length > 0 ? withPorts : complete;
  const others = [...recordsIn(pod["initContainers"]).filter(isOwn), ...containers].filter(
    (container) => !serving.includes(container),
  );
  const replicas = kind === "DaemonSet" ? 2 : numberOr(recordAt(object, "spec")["replicas"], 1); // one pod on each of several hosts
  return {
    workloads: serving.map((container) => ({
      ...workload(place, pod, container, replicas),
      ...(withPorts.length === 0 && { labels: labelsOf(object) }),
    })),
    others: others.map((container) => ({ place, variables: variablesOf(container) })),
    proxies: [],
  };
};

const labelsOf = (object: YamlRecord): Labels =>
  object["kind"] === "Pod"
    ? recordAt(object, "metadata", "labels")
    : recordAt(object, "spec", "template", "metadata", "labels");

const podOf = (object: YamlRecord): YamlRecord => {
  if (object["kind"] === "Pod") return recordAt(object, "spec");
  const owner = object["kind"] === "CronJob" ? recordAt(object, "spec", "jobTemplate") : object;
  return recordAt(owner, "spec", "template", "spec");
};

/** Images that are not the project's own service. */
const OTHERS =
  /(?:^|\/)(?:postgres|mysql|mariadb|redis|valkey|rabbitmq|kafka|mongo|nginx|envoy|traefik|haproxy|caddy|memcached|grafana|prometheus|otel|opentelemetry|busybox)/;

const isOwn = ({ image }: YamlRecord): boolean => !OTHERS.test(typeof image === "string" ? image : "");

const variablesOf = (container: YamlRecord): ReadonlyMap<string, string> =>
  new Map(
    recordsIn(container["env"]).flatMap(({ name, value }) =>
      typeof name === "string" && typeof value === "string" ? [[name, value] as const] : [],
    ),
  );

const workload = (place: string, pod: YamlRecord, container: YamlRecord, replicas: number): Workload => ({
  place,
  kind: "kubernetes",
  replicas,
  graceSecs: numberOr(pod["terminationGracePeriodSeconds"], 30),
  preStopSecs: preStopSecs(container),
  isProbed: isRecord(container["readinessProbe"]),
  variables: variablesOf(container),
  hasUnknownVariables:
    recordsIn(container["envFrom"]).length > 0 ||
    recordsIn(container["env"]).some((variable) => isRecord(variable["valueFrom"])),
});

const preStopSecs = (container: YamlRecord): number => {
  const hook = recordAt(container, "lifecycle", "preStop");
  const sleepSecs = recordAt(hook, "sleep")["seconds"];
  if (typeof sleepSecs === "number") return sleepSecs;
  const { command } = recordAt(hook, "exec");
  const words = Array.isArray(command) ? command.join(" ") : "";
  return Number(/\bsleep (\d+(?:\.\d+)?)/.exec(words)?.[1] ?? 0);
};
