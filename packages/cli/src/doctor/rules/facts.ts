import type { Problem } from "@framework/core";
import type { InstalledPackage } from "../../explain/installed-packages.ts";

/** The report of a program run with `--check`: the parts that rules read. */
export interface ProgramReport {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  readonly advice: { readonly oneHost: readonly Problem[]; readonly severalHosts: readonly Problem[] };
  readonly settings: {
    readonly env: string;
    readonly workers: number;
    readonly trustedProxies: readonly string[];
    readonly shutdownTimeoutSecs: number;
  };
  readonly hasReadiness: boolean;
}

/** Labels of a pod, or labels that a Service selects. */
export type Labels = Readonly<Record<string, unknown>>;

/** A workload of the project in a manifest. */
export interface Workload {
  /** File and name, for messages: `k8s/app.yaml: Deployment books`. */
  readonly place: string;
  readonly kind: "kubernetes" | "compose";
  readonly replicas: number;
  /** Seconds from the start of the shutdown to SIGKILL. */
  readonly graceSecs: number;
  /** Seconds that a preStop hook sleeps before SIGTERM; they are part of `graceSecs`. */
  readonly preStopSecs: number;
  /** Whether the orchestrator probes readiness; `null` if unknown. */
  readonly isProbed: boolean | null;
  /** Labels of a pod whose containers list no ports: without a Service that selects it, it gets no requests. */
  readonly labels?: Labels;
  /** Variables with literal values. */
  readonly variables: ReadonlyMap<string, string>;
  /** Whether it has variables from secrets or files, whose values are unknown. */
  readonly hasUnknownVariables: boolean;
}

/** Variables with literal values, and their place. */
export type PlacedVariables = Pick<Workload, "place" | "variables">;

/** Facts about a deployment from a manifest. */
export interface DeploymentFacts {
  readonly workloads: readonly Workload[];
  /** Variables of containers that do not serve: jobs, sidecars and init containers. */
  readonly others: readonly PlacedVariables[];
  /** Places of proxies in front of the service. */
  readonly proxies: readonly string[];
  /** Labels that the Services select. @default none */
  readonly selectors?: readonly Labels[];
}

/** Facts from all manifests. */
export interface ManifestFacts extends DeploymentFacts {
  /** Files that could not be read, with the reason. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** Input of the rules. */
export interface Facts extends ManifestFacts {
  /** The result of `--check`; `null` if there is no program. */
  readonly program: {
    readonly path: string;
    readonly report: ProgramReport | null;
    /** Reason why there is no report; empty if there is one. */
    readonly failure: string;
  } | null;
  /** Reason why the program of the script `start` was not found; absent if it was found or there is no such script. */
  readonly missingProgram?: string;
  readonly packages: readonly InstalledPackage[];
  /** Copies of core besides the first, with their folders. */
  readonly otherCores: readonly InstalledPackage[];
  /** Variables of `.env` files, with the file. */
  readonly files: readonly { readonly path: string; readonly variables: ReadonlyMap<string, string> }[];
}

/** Returns the problems in the facts, each with its remedy. */
export type DoctorRule = (facts: Facts) => readonly Problem[];
