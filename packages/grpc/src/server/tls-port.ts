import { createServer, type Server, type TLSSocket } from "node:tls";
import type { Duplex } from "node:stream";
import type { Awaitable, Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Certificates, GrpcTls } from "../config/grpc-tls.ts";
import { badTls, checkCertificates, contextOf, requirePems } from "./tls-context.ts";

/** Milliseconds that a handshake may take. */
const HANDSHAKE_MS = 10_000;

/** Does the TLS handshakes of a port whose sockets others accept, with certificates that are reloaded. */
export class TlsPort {
  private readonly tls: GrpcTls;
  private readonly log: Logger;
  private readonly server: Server;
  private loaded: Certificates;
  private stopTimer = (): void => {};

  private constructor(
    tls: GrpcTls,
    certificates: Certificates,
    log: Logger,
    secured: (socket: Duplex) => void,
  ) {
    this.tls = tls;
    this.loaded = certificates;
    this.log = log;
    const { requireClientCert = false } = tls;
    this.server = createServer({
      ...contextOf(certificates, tls),
      ALPNProtocols: ["h2"],
      requestCert: requireClientCert || certificates.ca !== undefined,
      rejectUnauthorized: requireClientCert,
      handshakeTimeout: HANDSHAKE_MS,
    });
    this.server.on("secureConnection", (socket) =>
      isUnverified(socket) ? socket.destroy() : secured(socket),
    );
    this.server.on("tlsClientError", (_error, socket) => socket.destroy()); // a client's fault, seen at its side
  }

  /** Opens with the certificates that were loaded first. @throws GRPC_BAD_TLS */
  static async open(
    tls: GrpcTls,
    first: Awaitable<Certificates>,
    log: Logger,
    secured: (socket: Duplex) => void,
  ): Promise<TlsPort> {
    try {
      const certificates = await first;
      checkCertificates(certificates, tls);
      return new TlsPort(tls, certificates, log, secured);
    } catch (error) {
      throw badTls(error);
    }
  }

  /** Begins to reload. */
  watch(clock: Clock): void {
    this.stopTimer = clock.every((this.tls.reloadSecs ?? 60) * 1000, () => void this.reload());
  }

  /** Takes an unread socket. */
  accept(socket: Duplex): void {
    this.server.emit("connection", socket);
  }

  /** Loads the certificates again for new connections. Never rejects. */
  async reload(): Promise<void> {
    try {
      const certificates = await this.tls.load();
      requirePems(certificates);
      if (isSame(certificates, this.loaded)) return;
      if ((certificates.ca === undefined) !== (this.loaded.ca === undefined))
        throw new Error("ca can be replaced while the port is open, not added or removed");
      this.server.setSecureContext(contextOf(certificates, this.tls));
      this.loaded = certificates;
      this.log.info("the certificates of the gRPC port were reloaded");
    } catch (error) {
      this.log.error("the certificates of the gRPC port could not be reloaded; the present ones stay", {
        code: "GRPC_BAD_TLS",
        error,
      });
    }
  }

  close(): void {
    this.stopTimer();
  }
}

/** Whether a client presented a certificate that `ca` did not issue, which handlers would take for a verified one. */
const isUnverified = (socket: TLSSocket): boolean =>
  !socket.authorized && socket.getPeerX509Certificate() !== undefined;

const isSame = (one: Certificates, other: Certificates): boolean =>
  text(one.cert) === text(other.cert) && text(one.key) === text(other.key) && text(one.ca) === text(other.ca);

const text = (value: string | Uint8Array | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : Buffer.from(value).toString();
