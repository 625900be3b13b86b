import type { Problem } from "@framework/core";
import type { InstalledPackage } from "../../explain/installed-packages.ts";

/** The answer of a program to `--check`; the parts that rules read. */
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

/** Labels of a pod, or those that a Service selects. */
export type Labels = Readonly<Record<string, unknown>>;

/** A workload of the project in a manifest. */
export interface Workload {
  /** File and name, for messages: `k8s/app.yaml: Deployment books`. */
  readonly place: string;
  readonly kind: "kubernetes" | "compose";
  readonly replicas: number;
  /** Seconds between SIGTERM and SIGKILL. */
  readonly graceSecs: number;
  /** Seconds that a preStop hook sleeps, which count as grace. */
  readonly preStopSecs: number;
  /** Whether the orchestrator asks for readiness; `null` where it cannot be told. */
  readonly isProbed: boolean | null;
  /** Labels of a pod whose containers list no ports: without a Service that selects it, it gets no requests. */
  readonly labels?: Labels;
  /** Variables with literal values. */
  readonly variables: ReadonlyMap<string, string>;
  /** Whether there are others, whose values are in secrets or files: what the app does with them cannot be told. */
  readonly hasUnknownVariables: boolean;
}

/** Variables with literal values, and where they are. */
export type PlacedVariables = Pick<Workload, "place" | "variables">;

/** What a manifest says of a deployment. */
export interface DeploymentFacts {
  readonly workloads: readonly Workload[];
  /** Variables of containers that serve nothing: of jobs, beside a service, or before its start. */
  readonly others: readonly PlacedVariables[];
  /** Proxies before the service, with their places. */
  readonly proxies: readonly string[];
  /** Labels that the Services select. @default none */
  readonly selectors?: readonly Labels[];
}

/** What all manifests say. */
export interface ManifestFacts extends DeploymentFacts {
  /** Files that could not be read, with the reason. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** What the rules judge. */
export interface Facts extends ManifestFacts {
  /** `null` without a program. */
  readonly program: {
    readonly path: string;
    readonly report: ProgramReport | null;
    readonly failure: string;
  } | null;
  /** Why the program of the script `start` was not found. @default it was, or there is no such script */
  readonly missingProgram?: string;
  readonly packages: readonly InstalledPackage[];
  /** Copies of core besides the first, with their folders. */
  readonly otherCores: readonly InstalledPackage[];
  /** Variables of `.env` files, with the file. */
  readonly files: readonly { readonly path: string; readonly variables: ReadonlyMap<string, string> }[];
}

/** Judges the facts: what is wrong, and what to do. */
export type DoctorRule = (facts: Facts) => readonly Problem[];
