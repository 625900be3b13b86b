import { joinWebClassWhenAsked } from "../response/web-class.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import type { Transport } from "../exchange/transport.ts";
import { urlOf } from "./start/address.ts";
import { EXIT_FAILURE } from "./stop/exit-codes.ts";
import type { Plan } from "./start/plan.ts";
import type { Running } from "./settings/run-options.ts";
import type { Runnable } from "../lifecycle/runnable.ts";
import { startService } from "./start/service.ts";
import { isClean, isLate, readinessDelayMs, shutDown, type ShutdownResult } from "./stop/shutdown.ts";
import { ownProcess } from "./stop/signals.ts";
import { toListenError } from "./start/start-error.ts";

/** Runs the service in this one process: start the app, listen, announce; one drain at the end. */
export const runSingle = async (app: Runnable, plan: Plan): Promise<Running> => {
  const { settings, log } = plan;
  const transport = await startService(app, plan, inProcessState({ log }));
  const { host, port } = await listen(app, transport, plan);
  const url = urlOf(host, port, settings.tls !== undefined);

  const { env, cluster } = settings;
  const limits = {
    readinessDelayMs: readinessDelayMs(cluster.readinessDelaySecs, env, app.report().needsReadinessDelay),
    timeoutMs: cluster.shutdownTimeoutSecs * 1000,
  };
  let closing: Promise<ShutdownResult> | undefined;
  const stop = (): Promise<ShutdownResult> =>
    (closing ??= shutDown(app, transport, limits, log).finally(() => release()));
  const end = (code: number): void => {
    void stop().then((result) => process.exit(isClean(result) ? code : EXIT_FAILURE));
  };
  const release = plan.ownsProcess ? ownProcess(log, end) : () => {};

  plan.announce(url, app.report());
  joinWebClassWhenAsked();
  return {
    url,
    host,
    port,
    close: async () => {
      await stop();
    },
  };
};

const listen = async (
  app: Runnable,
  transport: Transport,
  { settings: { host, port, cluster } }: Plan,
): Promise<{ readonly host: string; readonly port: number }> => {
  try {
    const address = await transport.listen({ host, port });
    return { host, port: address.port };
  } catch (error) {
    await isLate(app.stop(), cluster.shutdownTimeoutSecs * 1000);
    throw toListenError(error, host, port);
  }
};
