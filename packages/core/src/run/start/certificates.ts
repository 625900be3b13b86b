import type { Transport } from "../../exchange/transport.ts";
import type { Logger } from "../../log/logger.ts";
import { messageOf } from "../../log/value-text.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { readTlsAgain, type TlsConfig, tlsFiles } from "../settings/tls-config.ts";

/** Parts of a service that a `CertificateWatch` uses. */
export interface CertificateUser {
  readonly transport: Pick<Transport, "renewTls">;
  readonly log: Logger;
  /** @default the process's own */
  readonly clock?: Clock;
}

/**
 * Reads the files of a certificate anew when they change, or when asked to, and uses the new certificate for new connections. One that cannot be used is
 * logged, and the previous one serves on.
 */
export class CertificateWatch {
  private tls: TlsConfig;
  private readonly user: CertificateUser;
  private readonly stopWatching: () => void;
  /** State of the files that were read last. */
  private read: string;
  /** A new state of the files, as of the last look: two equal ones show that nothing writes to them any more. */
  private changed: string | null = null;

  constructor(tls: TlsConfig, user: CertificateUser) {
    this.tls = tls;
    this.user = user;
    this.read = stateOf(tls);
    const { clock = systemClock } = user;
    this.stopWatching = tls.watchSecs > 0 ? clock.every(tls.watchSecs * 1000, () => this.look()) : () => {};
  }

  /** Reads the files anew. */
  renew(): void {
    this.read = stateOf(this.tls);
    const { value, problems } = readTlsAgain(this.tls);
    if (problems.length > 0) return this.refuse(problems);
    if (
      String(value.cert) === String(this.tls.cert) &&
      String(value.key) === String(this.tls.key) &&
      String(value.ca) === String(this.tls.ca)
    )
      return;
    try {
      this.user.transport.renewTls(value);
    } catch (error) {
      return this.refuse([messageOf(error)]);
    }
    this.tls = value;
    this.user.log.info("the certificate was renewed", { validTo: validTo(value) });
  }

  stop(): void {
    this.stopWatching();
  }

  private look(): void {
    const state = stateOf(this.tls);
    if (state === this.read) this.changed = null;
    else if (state === this.changed) this.renew();
    else this.changed = state;
  }

  private refuse(problems: readonly string[]): void {
    this.user.log.error("the new certificate cannot be used; the previous one serves on", { problems });
  }
}

/** A watch for a service whose certificate comes from files, else `null`. */
export const watchCertificate = (
  tls: TlsConfig | undefined,
  user: CertificateUser,
): CertificateWatch | null =>
  tls === undefined || tlsFiles(tls).length === 0 ? null : new CertificateWatch(tls, user);

/**
 * Calls back for each SIGHUP when the certificate comes from files, until the returned function is called. Not on a terminal: its end sends the signal too.
 */
export const onHangup = (tls: TlsConfig | undefined, renew: () => void): (() => void) => {
  if (tls === undefined || tlsFiles(tls).length === 0 || process.stdout.isTTY) return () => {};
  process.on("SIGHUP", renew);
  return () => process.off("SIGHUP", renew);
};

/** Time, size and identity of each file, or why it cannot be read. */
const stateOf = (tls: TlsConfig): string => {
  const { statSync } = process.getBuiltinModule("node:fs");
  return tlsFiles(tls)
    .map((file) => {
      try {
        const { mtimeMs, size, ino } = statSync(file);
        return `${mtimeMs} ${size} ${ino}`;
      } catch (error) {
        return String((error as NodeJS.ErrnoException).code);
      }
    })
    .join();
};

const validTo = ({ cert }: TlsConfig): string | null => {
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  try {
    return new X509Certificate(cert).validTo;
  } catch {
    return null; // the certificate serves; its time is information only
  }
};
