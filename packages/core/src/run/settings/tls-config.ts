import {
  configRecord,
  type ConfigInput,
  type ConfigRecord,
  type ReadRecord,
} from "../../config/config-record.ts";
import { checked, flag, oneOf } from "../../config/field-rules.ts";

/** Certificate and TLS rules of the service; every connection uses HTTPS. */
export interface TlsConfig {
  /** Certificate chain, PEM (the text, not a file name); required. */
  readonly cert: string | Uint8Array;
  /** Private key, PEM; required. */
  readonly key: string | Uint8Array;
  /** Authorities that must have issued client certificates, PEM. */
  readonly ca: string | Uint8Array | undefined;
  /** Refuses clients without a certificate issued by `ca`. @default false */
  readonly requireClientCert: boolean;
  /** Lowest TLS version. @default "1.2" */
  readonly minVersion: "1.2" | "1.3";
}

const isPem = (value: unknown): boolean =>
  (typeof value === "string" && value.includes("-----BEGIN ")) || value instanceof Uint8Array;
const PEM = "PEM text or bytes, not a file name";

const record: ConfigRecord<TlsConfig> = configRecord<TlsConfig>("TlsConfig", {
  cert: checked<string | Uint8Array>("", PEM, isPem),
  key: checked<string | Uint8Array>("", PEM, isPem),
  ca: checked<string | Uint8Array | undefined>(undefined, PEM, isPem),
  requireClientCert: flag(false),
  minVersion: oneOf("1.2", ["1.2", "1.3"]),
});

/** Reads the record; absent stays absent. A missing certificate or key is a problem, and so is an unusable pair. */
export const readTls = (input: ConfigInput<TlsConfig> | undefined): ReadRecord<TlsConfig> | undefined => {
  if (input === undefined) return undefined;
  const { value, problems } = record.read(input);
  const missing = (["cert", "key"] as const)
    .filter((field) => input[field] === undefined)
    .map((field) => `TlsConfig.${field} is required`);
  const unverifiable =
    value.requireClientCert && value.ca === undefined ? ["TlsConfig.requireClientCert needs ca"] : [];
  const found = [...problems, ...missing, ...unverifiable];
  return { value, problems: found.length > 0 ? found : unusable(value) };
};

const unusable = ({ cert, key, ca }: TlsConfig): string[] => {
  const bytes = (pem: string | Uint8Array): string | Buffer =>
    typeof pem === "string" ? pem : Buffer.from(pem);
  // Loaded here instead of imported: it takes a fifth of the start of a service without TLS.
  const { createSecureContext } = process.getBuiltinModule("node:tls");
  try {
    createSecureContext({ cert: bytes(cert), key: bytes(key), ...(ca !== undefined && { ca: bytes(ca) }) });
    return [];
  } catch (error) {
    return [
      `TlsConfig: certificate and key cannot be used: ${Error.isError(error) ? error.message : String(error)}`,
    ];
  }
};
