import type { SharedState } from "../../shared-state/shared-state.ts";
import { createFastTransport } from "../../transport/fast-transport.ts";
import { createNodeTransport } from "../../transport/node-transport.ts";
import type { Transport } from "../../exchange/transport.ts";
import type { Plan } from "./plan.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";
import { isLate } from "../stop/shutdown.ts";

/** Milliseconds that an idle connection is kept in a drain for a request already under way; at a developer's desk nobody waits for it. */
const DRAIN_IDLE_MS = { production: 1000, development: 50 } as const;

/** Starts the app and gives the transport that serves it; nothing listens yet. What a failed start had opened is closed again. */
export const startService = async (
  app: Runnable,
  { settings, log }: Plan,
  shared: SharedState,
): Promise<Transport> => {
  const { env, debug, logs, quiet, workers, limits, timeouts, trustedProxies, cluster, tls, transport } =
    settings;
  try {
    await app.start({ env, debug, logs, quiet, workers, limits, timeouts, trustedProxies, shared, log });
    const { serve, reject } = app;
    const create = transport === "fast" ? createFastTransport : createNodeTransport;
    return create({
      serve,
      reject,
      limits,
      timeouts,
      log,
      tls,
      drainIdleMs: DRAIN_IDLE_MS[env],
    });
  } catch (error) {
    await isLate(app.stop(), cluster.shutdownTimeoutSecs * 1000);
    throw error;
  }
};
