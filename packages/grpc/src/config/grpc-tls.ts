import type { Awaitable } from "@framework/core";

/** Certificates and keys in PEM. */
export interface Certificates {
  /** Certificate chain. */
  readonly cert: string | Uint8Array;
  /** Private key. */
  readonly key: string | Uint8Array;
  /**
   * Certificate authorities of client certificates. Without `requireClientCert` a client may present none; a certificate of another authority is
   * refused. A reload may replace the authorities, but not add or remove `ca`. @default none
   */
  readonly ca?: string | Uint8Array;
}

/** TLS of the gRPC port. */
export interface GrpcTls {
  /** Loads the certificates: at start, when the configuration is checked, and again every `reloadSecs`, for new connections. */
  readonly load: () => Awaitable<Certificates>;
  /** Seconds between reloads, capped at about 24 days; a reload that fails is logged and keeps the current certificates. @default 60 */
  readonly reloadSecs?: number;
  /** Refuses clients without a certificate issued by `ca` (mutual TLS). @default false */
  readonly requireClientCert?: boolean;
  /** Lowest TLS version. @default "1.2" */
  readonly minVersion?: "1.2" | "1.3";
}

const names: readonly string[] = ["load", "reloadSecs", "requireClientCert", "minVersion"];

/** Whether a value is a valid `GrpcTls`. Unknown fields are invalid: a misspelt `requireClientCert` would admit every client. */
export const isGrpcTls = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  const {
    load,
    reloadSecs = 60,
    requireClientCert = false,
    minVersion = "1.2",
  } = value as Readonly<Record<string, unknown>>;
  return (
    Object.keys(value).every((name) => names.includes(name)) &&
    typeof load === "function" &&
    Number.isFinite(reloadSecs) &&
    (reloadSecs as number) >= 1 &&
    typeof requireClientCert === "boolean" &&
    (minVersion === "1.2" || minVersion === "1.3")
  );
};
