import type { DeploymentFacts, Workload } from "./rules/facts.ts";
import { isRecord, numberOr, recordAt, type YamlRecord } from "./yaml-values.ts";

/** Images of reverse proxies. */
const PROXY = /(?:^|\/)(?:nginx|traefik|caddy|haproxy|envoy|httpd|openresty)(?:[:@/-]|$)/;

/** Docker's default seconds between SIGTERM and SIGKILL. */
const DEFAULT_GRACE_SECS = 10;

/** Reads a Compose file. Services with `build` are the project's own. */
export const composeFacts = (path: string, file: YamlRecord): DeploymentFacts => {
  const services = Object.entries(recordAt(file, "services")).filter((entry): entry is [string, YamlRecord] =>
    isRecord(entry[1]),
  );
  const own = services.filter(([, { build }]) => build !== undefined);
  const proxies = services.filter(([, { image }]) => typeof image === "string" && PROXY.test(image));
  return {
    workloads: own.map(([name, service]) => workload(`${path}: service ${name}`, service)),
    others: [],
    proxies: own.length === 0 ? [] : proxies.map(([name]) => `${path}: service ${name}`),
  };
};

const workload = (place: string, service: YamlRecord): Workload => ({
  place,
  kind: "compose",
  replicas: numberOr(recordAt(service, "deploy")["replicas"], numberOr(service["scale"], 1)),
  graceSecs: durationSecs(service["stop_grace_period"]) ?? DEFAULT_GRACE_SECS,
  preStopSecs: 0,
  isProbed: null, // the image may have a health check
  variables: variablesOf(service["environment"]),
  hasUnknownVariables: service["env_file"] !== undefined || service["secrets"] !== undefined,
});

/** Returns the seconds of a Compose duration: `1m30s`, `40s`, `500ms`; `null` for another value. */
const durationSecs = (value: unknown): number | null => {
  if (typeof value !== "string") return null;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  if (parts.length === 0) return null;
  return parts.reduce((sum, [, amount, unit = "s"]) => sum + Number(amount) * (secsPerUnit[unit] ?? 1), 0);
};

const secsPerUnit: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };

const variablesOf = (environment: unknown): ReadonlyMap<string, string> =>
  new Map(
    Array.isArray(environment)
      ? environment.flatMap((line) => {
          const [, name, value] = /^(\w+)=(.*)$/.exec(String(line)) ?? [];
          return name === undefined || value === undefined ? [] : [[name, value] as const];
        })
      : Object.entries(recordAt({ environment }, "environment")).map(
          ([name, value]) => [name, String(value)] as const,
        ),
  );
