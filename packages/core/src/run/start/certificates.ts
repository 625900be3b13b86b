import type { Transport } from "../../exchange/transport.ts";
import type { Logger } from "../../log/logger.ts";
import { messageOf } from "../../log/value-text.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import { rereadTls, type TlsConfig, tlsFiles } from "../settings/tls-config.ts";

/** Dependencies of `CertificateWatch`. */
export interface CertificateUser {
  readonly transport: Pick<Transport, "renewTls">;
  readonly log: Logger;
  /** @default the system clock */
  readonly clock?: Clock;
}

/**
 * Rereads the files of a certificate when they change, and on `renew`, and uses the new certificate for new connections. If it is unusable, the problems are
 * logged and the previous certificate stays in use. Each check then tries again, because the cause may have been temporary, such as a lack of descriptors.
 */
export class CertificateWatch {
  private tls: TlsConfig;
  private readonly user: CertificateUser;
  private readonly stopWatching: () => void;
  /** State of the files when they were last read. */
  private readState: string;
  /** Changed state of the files at the last check. Two equal states in succession mean that the files are completely written. */
  private changedState: string | null = null;
  /** The problems of the last attempt; `null` after a successful one. */
  private refusal: string | null = null;

  constructor(tls: TlsConfig, user: CertificateUser) {
    this.tls = tls;
    this.user = user;
    this.readState = stateOf(tls);
    const { clock = systemClock } = user;
    this.stopWatching = tls.watchSecs > 0 ? clock.every(tls.watchSecs * 1000, () => this.check()) : () => {};
  }

  /** Rereads the files and uses a changed certificate for new connections. */
  renew(): void {
    this.refusal = null;
    this.reread();
  }

  stop(): void {
    this.stopWatching();
  }

  private reread(): void {
    this.readState = stateOf(this.tls);
    const { value, problems } = rereadTls(this.tls);
    if (problems.length > 0) return this.refuse(problems);
    if (
      String(value.cert) === String(this.tls.cert) &&
      String(value.key) === String(this.tls.key) &&
      String(value.ca) === String(this.tls.ca)
    ) {
      this.refusal = null;
      return;
    }
    try {
      this.user.transport.renewTls(value);
    } catch (error) {
      return this.refuse([messageOf(error)]);
    }
    this.tls = value;
    this.refusal = null;
    this.user.log.info("the certificate was renewed", { validTo: validTo(value) });
  }

  private check(): void {
    const state = stateOf(this.tls);
    if (state === this.readState) {
      this.changedState = null;
      if (this.refusal !== null) this.reread();
    } else if (state === this.changedState) this.renew();
    else this.changedState = state;
  }

  /** Logs the problems, once while they stay the same. */
  private refuse(problems: readonly string[]): void {
    const refusal = problems.join("\n");
    if (refusal === this.refusal) return;
    this.refusal = refusal;
    this.user.log.error("the new certificate cannot be used; the previous one stays in use", { problems });
  }
}

/** Watches the certificate files of a service; `null` if the certificate is not from files. */
export const watchCertificate = (
  tls: TlsConfig | undefined,
  user: CertificateUser,
): CertificateWatch | null =>
  tls === undefined || tlsFiles(tls).length === 0 ? null : new CertificateWatch(tls, user);

/**
 * Calls `renew` for each SIGHUP if the certificate is from files, until the returned function is called. Not on a terminal, because closing it also sends
 * SIGHUP.
 */
export const onHangup = (tls: TlsConfig | undefined, renew: () => void): (() => void) => {
  if (tls === undefined || tlsFiles(tls).length === 0 || process.stdout.isTTY) return () => {};
  process.on("SIGHUP", renew);
  return () => process.off("SIGHUP", renew);
};

/** Change time, size and inode of each file, or the code of the error. Permissions, and copies that keep the modification time, also set the change time. */
const stateOf = (tls: TlsConfig): string => {
  const { statSync } = process.getBuiltinModule("node:fs");
  return tlsFiles(tls)
    .map((file) => {
      try {
        const { ctimeMs, size, ino } = statSync(file);
        return `${ctimeMs} ${size} ${ino}`;
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
    return null; // the certificate is in use; its expiry is only logged
  }
};
