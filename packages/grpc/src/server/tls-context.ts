import type { TlsOptions } from "node:tls";
import { FrameworkError } from "@framework/core";
import { messageOf } from "@framework/core/feature";
import type { Certificates, GrpcTls } from "../config/grpc-tls.ts";

/** Returns the options of Node for certificates. */
export const contextOf = ({ cert, key, ca }: Certificates, { minVersion = "1.2" }: GrpcTls): TlsOptions => ({
  cert: pem(cert),
  key: pem(key),
  ...(ca !== undefined && { ca: pem(ca) }),
  minVersion: `TLSv${minVersion}`,
});

const pem = (value: string | Uint8Array): string | Buffer =>
  typeof value === "string" ? value : Buffer.from(value);

/** Checks certificates that a port is to open with. @throws an error for those that cannot be used */
export const checkCertificates = (certificates: Certificates, tls: GrpcTls): void => {
  requireAuthorities(certificates);
  if (tls.requireClientCert === true && certificates.ca === undefined)
    throw new Error("requireClientCert needs ca");
  process.getBuiltinModule("node:tls").createSecureContext(contextOf(certificates, tls)); // loaded only with TLS
};

/** Node verifies clients by the system's authorities when `ca` is empty, such as a file that is being written. */
export const requireAuthorities = ({ ca }: Certificates): void => {
  if (ca?.length === 0) throw new Error("ca is empty");
};

/** Returns the error for certificates that cannot be loaded or used. */
export const badTls = (cause: unknown): FrameworkError =>
  new FrameworkError("GRPC_BAD_TLS", `certificates of the gRPC port: ${messageOf(cause)}`, { cause });
