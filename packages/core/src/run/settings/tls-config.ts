import {
  configRecord,
  type ConfigInput,
  type ConfigRecord,
  type ReadResult,
} from "../../config/config-record.ts";
import { messageOf } from "../../log/value-text.ts";
import { checked, decimal, flag, oneOf, secret } from "../../config/field-rules.ts";

/**
 * Certificate and TLS rules of the service; every connection uses HTTPS. Certificate and key are given as PEM, or as files, which are reread when they change.
 */
export interface TlsConfig {
  /** Certificate chain, PEM (the text, not a file name); required without `certFile`. */
  readonly cert: string | Uint8Array;
  /** Private key, PEM; required without `keyFile`. */
  readonly key: string | Uint8Array;
  /** CA certificates that client certificates are verified against, PEM; needs `requireClientCert`. */
  readonly ca: string | Uint8Array | undefined;
  /** File of the certificate chain, PEM. @default none */
  readonly certFile: string | undefined;
  /** File of the private key, PEM. @default none */
  readonly keyFile: string | undefined;
  /** File of the CA certificates, PEM; needs `requireClientCert`. @default none */
  readonly caFile: string | undefined;
  /** Seconds between two checks of the files; 0 rereads them on SIGHUP only. @default 10 */
  readonly watchSecs: number;
  /** Refuses clients without a certificate issued by `ca` or `caFile`. @default false */
  readonly requireClientCert: boolean;
  /** Lowest TLS version. @default "1.2" */
  readonly minVersion: "1.2" | "1.3";
}

const isPem = (value: unknown): boolean =>
  (typeof value === "string" && value.includes("-----BEGIN ")) || value instanceof Uint8Array;
const PEM = "PEM text or bytes, not a file name";
const isFile = (value: unknown): boolean =>
  value === undefined || (typeof value === "string" && value !== "" && !value.includes("-----BEGIN "));
const FILE = "the name of a file";

const record: ConfigRecord<TlsConfig> = configRecord<TlsConfig>("TlsConfig", {
  cert: checked<string | Uint8Array>("", PEM, isPem),
  key: secret(checked<string | Uint8Array>("", PEM, isPem)),
  ca: checked<string | Uint8Array | undefined>(undefined, PEM, isPem),
  certFile: checked<string | undefined>(undefined, FILE, isFile),
  keyFile: secret(checked<string | undefined>(undefined, FILE, isFile)),
  caFile: checked<string | undefined>(undefined, FILE, isFile),
  watchSecs: decimal(10, { min: 0, max: 86_400 }),
  requireClientCert: flag(false),
  minVersion: oneOf("1.2", ["1.2", "1.3"]),
});

/** The fields that can be given as PEM or as a file. */
const pemFields = ["cert", "key", "ca"] as const;

/** Reads the record and its files; `undefined` without a record. A missing certificate or key and an unusable pair are problems. */
export const readTls = (input: ConfigInput<TlsConfig> | undefined): ReadResult<TlsConfig> | undefined => {
  if (input === undefined) return undefined;
  const { value, problems } = record.read(input);
  const given = Object(input) as ConfigInput<TlsConfig>; // `read` reports null
  const found = [...problems];
  const pem: { [part in (typeof pemFields)[number]]?: string | Uint8Array } = {};
  for (const part of pemFields) {
    const file = value[`${part}File`];
    if (file !== undefined && given[part] !== undefined)
      found.push(`TlsConfig.${part} and ${part}File cannot be combined`);
    else if (file !== undefined) readInto(pem, part, file, found);
    else if (given[part] === undefined && part !== "ca")
      found.push(`TlsConfig.${part} is required, or ${part}File`);
  }
  const whole = { ...value, ...pem };
  const hasCa = whole.ca !== undefined || value.caFile !== undefined;
  if (value.requireClientCert && !hasCa) found.push("TlsConfig.requireClientCert needs ca or caFile");
  if (whole.ca?.length === 0)
    found.push("TlsConfig.ca or caFile is empty: Node would accept clients of its default CAs");
  if (hasCa && !value.requireClientCert)
    found.push(
      "TlsConfig.ca and caFile have no effect without requireClientCert: set it to true, or remove them",
    );
  return { value: whole, problems: found.length > 0 ? found : pairProblems(whole) };
};

/** Rereads the files of a record. */
export const rereadTls = (tls: TlsConfig): ReadResult<TlsConfig> => {
  const { cert, key, ca, ...rest } = tls;
  const given = {
    ...rest,
    ...(tls.certFile === undefined && { cert }),
    ...(tls.keyFile === undefined && { key }),
    ...(tls.caFile === undefined && ca !== undefined && { ca }),
  };
  return readTls(given) ?? { value: tls, problems: [] };
};

/** Names of the files of a record. */
export const tlsFiles = ({ certFile, keyFile, caFile }: TlsConfig): string[] =>
  [certFile, keyFile, caFile].filter((file) => file !== undefined);

const readInto = (
  pem: { [part in (typeof pemFields)[number]]?: string | Uint8Array },
  part: (typeof pemFields)[number],
  file: string,
  problems: string[],
): void => {
  try {
    pem[part] = process.getBuiltinModule("node:fs").readFileSync(file, "utf8");
  } catch (error) {
    problems.push(`TlsConfig.${part}File cannot be read: ${messageOf(error)}`);
  }
};

const pairProblems = ({ cert, key, ca }: TlsConfig): string[] => {
  const bytes = (pem: string | Uint8Array): string | Buffer =>
    typeof pem === "string" ? pem : Buffer.from(pem);
  // Loaded on demand instead of imported: a service without TLS starts faster without it.
  const { createSecureContext } = process.getBuiltinModule("node:tls");
  try {
    createSecureContext({ cert: bytes(cert), key: bytes(key), ...(ca !== undefined && { ca: bytes(ca) }) });
  } catch (error) {
    return [`TlsConfig: certificate and key cannot be used: ${messageOf(error)}`];
  }
  return ca === undefined || hasCertificate(bytes(ca))
    ? []
    : ["TlsConfig.ca or caFile has no PEM certificate: every client would be refused"]; // Node skips other text
};

const hasCertificate = (pem: string | Buffer): boolean => {
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  try {
    return pem.includes("-----BEGIN ") && new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
};
