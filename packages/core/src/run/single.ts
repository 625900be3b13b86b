import { inheritGlobalResponseOnLookup } from "../response/web-class.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import { urlOf } from "./start/address.ts";
import { EXIT_FAILURE, EXIT_OK } from "./stop/exit-codes.ts";
import type { Plan } from "./start/plan.ts";
import type { Running } from "./settings/run-options.ts";
import type { Runnable } from "../lifecycle/runnable.ts";
import { onHangup } from "./start/certificates.ts";
import { listenOnPorts } from "./start/feature-ports.ts";
import { type Service, startService } from "./start/service.ts";
import {
  isClean,
  readinessDelayMs,
  shutDown,
  type ShutdownLimits,
  type ShutdownResult,
} from "./stop/shutdown.ts";
import { toListenError } from "./start/start-error.ts";
import { exitCodeFor, reportUncaught } from "./stop/end-reason.ts";

/** Runs the service in this process: starts the app, listens and announces the service; a signal, an uncaught error or `close` drains it once. */
export const runSingle = async (app: Runnable, plan: Plan): Promise<Running> => {
  const { settings, log, process: owned } = plan;
  owned?.onEnd(() => app.abandon());
  let started: Service | undefined;
  const ignoreHangups = onHangup(owned === null ? undefined : settings.tls, () =>
    started?.certificate?.renew(),
  );
  const service = await startService(app, plan, inProcessState({ log }));
  const { port, listeners } = await listen(app, service, plan);
  started = service;
  service.certificate?.renew(); // the files may have changed since the settings were read
  const { host } = settings;
  const url = urlOf(host, port, settings.tls !== undefined);

  let closing: Promise<ShutdownResult> | undefined;
  const stop = (): Promise<ShutdownResult> => (closing ??= shutDown(app, service, limitsOf(app, plan), log));
  // The signal handlers stay installed until the process exits: a signal at the end must not change its exit code.
  let exitCode = EXIT_OK;
  owned?.onEnd((reason) => {
    reportUncaught(reason, log);
    exitCode = Math.max(exitCode, exitCodeFor(reason)); // an uncaught error may follow the signal
    void stop().then((result) => owned.exit(isClean(result) ? exitCode : EXIT_FAILURE));
  });

  plan.announce({ url, listeners }, app.report());
  inheritGlobalResponseOnLookup();
  return {
    url,
    host,
    port,
    listeners,
    close: async () => {
      await stop().finally(() => {
        owned?.release();
        ignoreHangups();
      });
    },
  };
};

/** Opens the ports, then runs the listening tasks. If a step fails, the app and the opened ports are shut down. */
const listen = async (
  app: Runnable,
  service: Service,
  plan: Plan,
): Promise<Pick<Running, "port" | "listeners">> => {
  const { host, port, cluster } = plan.settings;
  try {
    const address = await service.main.listen({ host, port }).catch((error: unknown) => {
      throw toListenError(error, host, port);
    });
    const listeners = await listenOnPorts(service.ports, host);
    await app.listen();
    return { port: address.port, listeners };
  } catch (error) {
    const limits = { readinessDelayMs: 0, timeoutMs: cluster.shutdownTimeoutSecs * 1000 };
    await shutDown(app, service, limits, plan.log); // a port was open: a request may be in flight
    throw error;
  }
};

const limitsOf = (app: Runnable, { settings: { env, cluster } }: Plan): ShutdownLimits => ({
  readinessDelayMs: readinessDelayMs(cluster.readinessDelaySecs, env, app.report().needsReadinessDelay),
  timeoutMs: cluster.shutdownTimeoutSecs * 1000,
});
