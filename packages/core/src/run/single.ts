import { joinWebClassWhenAsked } from "../response/web-class.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import type { ListenAddress, Transport } from "../exchange/transport.ts";
import { urlOf } from "./start/address.ts";
import { EXIT_FAILURE } from "./stop/exit-codes.ts";
import type { Plan } from "./start/plan.ts";
import type { Running } from "./settings/run-options.ts";
import type { Runnable } from "../lifecycle/runnable.ts";
import { orUndo, startService } from "./start/service.ts";
import {
  isClean,
  readinessDelayMs,
  shutDown,
  type ShutdownLimits,
  type ShutdownResult,
} from "./stop/shutdown.ts";
import { toListenError } from "./start/start-error.ts";
import { endingCode, reportUncaught } from "./stop/ending.ts";

/** Runs the service in this one process: start the app, listen, announce; one drain at the end. */
export const runSingle = async (app: Runnable, plan: Plan): Promise<Running> => {
  const { settings, log, process: owned } = plan;
  owned?.onEnd(() => app.abandon());
  const transport = await startService(app, plan, inProcessState({ log }));
  const { host, port } = await listen(app, transport, plan);
  const url = urlOf(host, port, settings.tls !== undefined);

  let closing: Promise<ShutdownResult> | undefined;
  const stop = (): Promise<ShutdownResult> =>
    (closing ??= shutDown(app, transport, limitsOf(app, plan), log).finally(() => owned?.release()));
  owned?.onEnd((ending) => {
    reportUncaught(ending, log);
    void stop().then((result) => process.exit(isClean(result) ? endingCode(ending) : EXIT_FAILURE));
  });

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

/** Opens the port, then runs the listening tasks. What was opened is closed again when either fails. */
const listen = async (app: Runnable, transport: Transport, plan: Plan): Promise<ListenAddress> => {
  const { host, port, cluster } = plan.settings;
  const address = await orUndo(app, plan, async () => {
    try {
      return await transport.listen({ host, port });
    } catch (error) {
      throw toListenError(error, host, port);
    }
  });
  try {
    await app.listen();
  } catch (error) {
    const limits = { readinessDelayMs: 0, timeoutMs: cluster.shutdownTimeoutSecs * 1000 };
    await shutDown(app, transport, limits, plan.log); // the port was open: a request may be in flight
    throw error;
  }
  return { host, port: address.port };
};

const limitsOf = (app: Runnable, { settings: { env, cluster } }: Plan): ShutdownLimits => ({
  readinessDelayMs: readinessDelayMs(cluster.readinessDelaySecs, env, app.report().needsReadinessDelay),
  timeoutMs: cluster.shutdownTimeoutSecs * 1000,
});
