import type { Problem } from "../../errors/configuration-error.ts";
import type { ConnectionProtocol, TransportTls } from "../../exchange/transport.ts";
import type { Environment } from "../../lifecycle/app-settings.ts";

/** The settings that `settingWarnings` checks. */
interface WarnedSettings {
  readonly env: Environment;
  readonly debug: boolean;
  readonly host: string;
  readonly reload: boolean;
  /** Whether the host was not set explicitly. */
  readonly hostIsDefault: boolean;
  /** Whether the number of workers was not set explicitly. */
  readonly workersIsDefault: boolean;
  readonly inContainer: boolean;
}

/** Returns warnings about settings that are allowed but probably a mistake. */
export const settingWarnings = (
  { env, debug, host, reload, hostIsDefault, workersIsDefault, inContainer }: WarnedSettings,
  requestedWorkers: number,
): Problem[] => {
  const found: Problem[] = [];
  if (debug && env === "production") {
    found.push({
      code: "CORE_DEBUG_IN_PRODUCTION",
      message:
        "debug in production changes the defaults to one worker and request logs, and error replies name similar routes and guards; messages and stack traces stay hidden. Omit debug",
    });
  }
  if (debug && env === "development" && !isLoopback(host)) {
    found.push({
      code: "CORE_DEBUG_EXPOSED",
      message: `debug shows messages and stack traces to every client that reaches ${host}; use --env production or --no-debug`,
    });
  }
  if (reload && !workersIsDefault && requestedWorkers > 1) {
    found.push({
      code: "CORE_RELOAD_WORKERS",
      message: "reload runs a single worker; the setting workers is ignored",
    });
  }
  if (inContainer && hostIsDefault) {
    found.push({
      code: "CORE_LOOPBACK_IN_CONTAINER",
      message: `${host} is reachable only from inside this container; set HOST=0.0.0.0 to accept outside connections, or HOST=${host} to silence this warning`,
    });
  }
  return found;
};

/** Returns the warning of a protocol that needs TLS if the service has none. */
export const protocolWarnings = (
  protocol: ConnectionProtocol | undefined,
  tls: TransportTls | undefined,
): readonly Problem[] =>
  tls !== undefined || protocol?.preface !== undefined || protocol?.unserved === undefined
    ? []
    : [protocol.unserved];

const isLoopback = (host: string): boolean => /^(?:localhost|::1|127\.\d+\.\d+\.\d+)$/i.test(host);
