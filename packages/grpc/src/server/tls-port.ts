import { createServer, type Server, type TLSSocket } from "node:tls";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Awaitable, Logger } from "@framework/core";
import type { Clock } from "@framework/core/feature";
import type { Certificates, GrpcTls } from "../config/grpc-tls.ts";
import { MAX_TIMEOUT_MS } from "../metadata/grpc-timeout.ts";
import { badTls, checkCertificates, checkLoaded, tlsOptionsOf } from "./tls-context.ts";

/** Milliseconds that a handshake may take. */
const HANDSHAKE_MS = 10_000;

/** Performs the TLS handshakes of sockets that another listener accepts, with certificates that are reloaded. */
export class TlsPort {
  private readonly tls: GrpcTls;
  private readonly log: Logger;
  private readonly server: Server;
  /** Connections whose handshake has not finished, by `clientOf`. */
  private readonly handshakes: Map<string, Socket> = new Map();
  private current: Certificates;
  private isDraining = false;
  /** Number of the last reload that began, and of the last that loaded certificates. */
  private begun = 0;
  private loaded = 0;
  private stopTimer = (): void => {};

  private constructor(
    tls: GrpcTls,
    certificates: Certificates,
    log: Logger,
    onSecure: (socket: Duplex) => void,
  ) {
    this.tls = tls;
    this.current = certificates;
    this.log = log;
    const { requireClientCert = false } = tls;
    this.server = createServer({
      ...tlsOptionsOf(certificates, tls),
      ALPNProtocols: ["h2"],
      requestCert: requireClientCert || certificates.ca !== undefined,
      rejectUnauthorized: requireClientCert,
      handshakeTimeout: HANDSHAKE_MS,
    });
    this.server.on("secureConnection", (socket) => {
      this.handshakes.delete(clientOf(socket));
      if (isUnverified(socket)) socket.destroy();
      else onSecure(socket);
    });
    this.server.on("tlsClientError", (_error, socket) => socket.destroy()); // the client reports it
  }

  /** Opens the port with the first certificates. @throws GRPC_BAD_TLS */
  static async open(
    tls: GrpcTls,
    first: Awaitable<Certificates>,
    log: Logger,
    onSecure: (socket: Duplex) => void,
  ): Promise<TlsPort> {
    try {
      const certificates = await first;
      checkCertificates(certificates, tls);
      return new TlsPort(tls, certificates, log, onSecure);
    } catch (error) {
      throw badTls(error);
    }
  }

  /** Starts the periodic reload. */
  watch(clock: Clock): void {
    const periodMs = Math.min(MAX_TIMEOUT_MS, (this.tls.reloadSecs ?? 60) * 1000);
    this.stopTimer = clock.every(periodMs, () => void this.reload());
  }

  /** Starts the handshake on an unread socket. */
  accept(socket: Socket): void {
    if (this.isDraining) return void socket.destroy();
    const client = clientOf(socket);
    this.handshakes.set(client, socket);
    socket.once("close", () => {
      if (this.handshakes.get(client) === socket) this.handshakes.delete(client);
    });
    this.server.emit("connection", socket);
  }

  /** Closes connections that have not finished their handshake, such as port probes. They carry no calls. */
  drain(): void {
    this.isDraining = true;
    for (const socket of this.handshakes.values()) socket.destroy();
  }

  /** Loads the certificates again for new connections. Never rejects. Reloads may overlap: older certificates never replace newer ones. */
  async reload(): Promise<void> {
    const reload = ++this.begun;
    try {
      const certificates = await this.tls.load();
      checkLoaded(certificates);
      if (reload < this.loaded) return;
      this.loaded = reload;
      if (isSame(certificates, this.current)) return;
      if ((certificates.ca === undefined) !== (this.current.ca === undefined))
        throw new Error("while the port is open, ca can be replaced, but not added or removed");
      this.server.setSecureContext(tlsOptionsOf(certificates, this.tls));
      this.current = certificates;
      this.log.info("the certificates of the gRPC port were reloaded");
    } catch (error) {
      this.log.error("the certificates of the gRPC port could not be reloaded; the current ones are kept", {
        code: "GRPC_BAD_TLS",
        error,
      });
    }
  }

  close(): void {
    this.stopTimer();
  }
}

/** Identifies a connection before and after its handshake; Node has no other link between the two sockets. */
const clientOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/** Whether the client presented a certificate that `ca` did not issue; handlers would mistake it for a verified one. */
const isUnverified = (socket: TLSSocket): boolean =>
  !socket.authorized && socket.getPeerX509Certificate() !== undefined;

const isSame = (one: Certificates, other: Certificates): boolean =>
  text(one.cert) === text(other.cert) && text(one.key) === text(other.key) && text(one.ca) === text(other.ca);

const text = (value: string | Uint8Array | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : Buffer.from(value).toString();
