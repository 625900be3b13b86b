import type { DeploymentFacts, Workload } from "./rules/facts.ts";
import { isRecord, numberOr, recordAt, recordsIn, type YamlRecord } from "./yaml-values.ts";

/** Kinds that run pods which serve. */
const servingKinds: readonly unknown[] = ["Deployment", "StatefulSet", "DaemonSet", "Pod"];
const proxyKinds: readonly unknown[] = ["Ingress", "HTTPRoute", "IngressRoute", "VirtualService"];

/** Reads one object of Kubernetes. A pod counts only if a container listens on a port; databases and brokers by their images do not. */
export const kubernetesFacts = (path: string, object: YamlRecord): DeploymentFacts => {
  const { kind } = object;
  const { name } = recordAt(object, "metadata");
  const place = `${path}: ${String(kind)} ${typeof name === "string" ? name : "without a name"}`;
  if (proxyKinds.includes(kind)) return { workloads: [], proxies: [place] };
  if (!servingKinds.includes(kind)) return { workloads: [], proxies: [] };
  const spec = recordAt(object, "spec");
  const pod = kind === "Pod" ? spec : recordAt(spec, "template", "spec");
  const own = recordsIn(pod["containers"]).filter(isOwn);
  const replicas = kind === "DaemonSet" ? 2 : numberOr(spec["replicas"], 1); // one pod on every host
  return { workloads: own.map((container) => workload(place, pod, container, replicas)), proxies: [] };
};

/** Images that are not the project's own service. */
const OTHERS =
  /(?:^|\/)(?:postgres|mysql|mariadb|redis|valkey|rabbitmq|kafka|mongo|nginx|envoy|traefik|haproxy|caddy|memcached|grafana|prometheus|otel|opentelemetry|busybox)/;

const isOwn = ({ image, ports }: YamlRecord): boolean =>
  recordsIn(ports).length > 0 && !OTHERS.test(typeof image === "string" ? image : "");

const workload = (place: string, pod: YamlRecord, container: YamlRecord, replicas: number): Workload => ({
  place,
  kind: "kubernetes",
  replicas,
  graceSecs: numberOr(pod["terminationGracePeriodSeconds"], 30),
  preStopSecs: preStopSecs(container),
  isProbed: isRecord(container["readinessProbe"]),
  variables: new Map(
    recordsIn(container["env"]).flatMap(({ name, value }) =>
      typeof name === "string" && typeof value === "string" ? [[name, value] as const] : [],
    ),
  ),
  hasUnknownVariables:
    recordsIn(container["envFrom"]).length > 0 ||
    recordsIn(container["env"]).some((variable) => isRecord(variable["valueFrom"])),
});

const preStopSecs = (container: YamlRecord): number => {
  const hook = recordAt(container, "lifecycle", "preStop");
  const slept = recordAt(hook, "sleep")["seconds"];
  if (typeof slept === "number") return slept;
  const { command } = recordAt(hook, "exec");
  const words = Array.isArray(command) ? command.join(" ") : "";
  return Number(/\bsleep (\d+(?:\.\d+)?)/.exec(words)?.[1] ?? 0);
};
