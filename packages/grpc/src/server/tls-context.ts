import type { TlsOptions } from "node:tls";
import { FrameworkError } from "@framework/core";
import { messageOf } from "@framework/core/feature";
import type { Certificates, GrpcTls } from "../config/grpc-tls.ts";

/** Returns Node's TLS options for the certificates. */
export const tlsOptionsOf = (
  { cert, key, ca }: Certificates,
  { minVersion = "1.2" }: GrpcTls,
): TlsOptions => ({
  cert: pem(cert),
  key: pem(key),
  ...(ca !== undefined && { ca: pem(ca) }),
  minVersion: `TLSv${minVersion}`,
});

const pem = (value: string | Uint8Array): string | Buffer =>
  typeof value === "string" ? value : Buffer.from(value);

/** Checks certificates before the port opens. @throws an error if they cannot be used */
export const checkCertificates = (certificates: Certificates, tls: GrpcTls): void => {
  checkLoaded(certificates);
  if (tls.requireClientCert === true && certificates.ca === undefined)
    throw new Error("requireClientCert needs ca");
  process.getBuiltinModule("node:tls").createSecureContext(tlsOptionsOf(certificates, tls)); // node:tls is loaded only with TLS
};

/**
 * Checks the result of `load`. With an empty string as `ca`, such as from a file that is being written, Node would verify clients against its default CAs.
 *
 * @throws an error for an unusable result
 */
export const checkLoaded = (certificates: unknown): void => {
  const { cert, key, ca } = (certificates ?? {}) as Readonly<Record<keyof Certificates, unknown>>;
  if (!isStringOrBytes(cert) || !isStringOrBytes(key) || !(ca === undefined || isStringOrBytes(ca)))
    throw new Error("load must return { cert, key } and optionally ca, in PEM, as strings or bytes");
  if (ca?.length === 0) throw new Error("ca is empty");
};

const isStringOrBytes = (value: unknown): value is string | Uint8Array =>
  typeof value === "string" || value instanceof Uint8Array;

/** Returns the error for certificates that cannot be loaded or used. */
export const badTls = (cause: unknown): FrameworkError =>
  new FrameworkError(
    "GRPC_BAD_TLS",
    `the certificates of GrpcConfig.tls cannot be loaded or used: ${messageOf(cause)}`,
    { cause },
  );
