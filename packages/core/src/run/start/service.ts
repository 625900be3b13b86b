import { listenersIn } from "../../lifecycle/listener.ts";
import { timesOut } from "../../lifecycle/deadline.ts";
import type { SharedState } from "../../shared-state/shared-state.ts";
import { createFastTransport } from "../../transport/fast-transport.ts";
import { createNodeTransport } from "../../transport/node-transport.ts";
import type { Transport } from "../../exchange/transport.ts";
import { type CertificateWatch, watchCertificate } from "./certificates.ts";
import { watchDescriptors } from "./descriptors.ts";
import type { Drainable } from "../stop/shutdown.ts";
import { createFeaturePort, type FeaturePort, joinTransports } from "./feature-ports.ts";
import type { Plan } from "./plan.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";

/** Milliseconds that a drain keeps an idle connection open, for a request in transit; short in development, because a developer waits for the exit. */
const idleMsInDrain = { production: 1000, development: 50 } as const;

/** A started app, and the transports of its ports in this process. */
export interface Service extends Drainable {
  /** Transport of the app. */
  readonly main: Transport;
  /** Ports of features with their transports. */
  readonly ports: readonly FeaturePort[];
  /** Renews the certificate of the service from its files; `null` without files. */
  readonly certificate: CertificateWatch | null;
}

/** Starts the app and creates its transports, which do not listen yet. A failed start is rolled back. */
export const startService = async (app: Runnable, plan: Plan, shared: SharedState): Promise<Service> => {
  const { log } = plan;
  const { env, debug, logs, quiet, workers, limits, timeouts, trustedProxies, tls, transport } =
    plan.settings;
  return withRollback(app, plan, async () => {
    await app.start({ env, debug, logs, quiet, workers, limits, timeouts, trustedProxies, shared, log });
    const { serve, reject, protocol } = app;
    const create = transport === "fast" ? createFastTransport : createNodeTransport;
    const options = { serve, reject, limits, timeouts, log, tls, protocol, drainIdleMs: idleMsInDrain[env] };
    const main = create(options);
    const ports = listenersIn(env, app.listeners).map((listener) =>
      createFeaturePort(listener, app, create, options),
    );
    const joined = joinTransports([main, ...ports.map((port) => port.transport)]);
    const certificate = watchCertificate(tls, { transport: main, log });
    const endWatch = watchDescriptors(log);
    return {
      main,
      ports,
      certificate,
      get accepted() {
        return joined.accepted;
      },
      drain: () => joined.drain(),
      close(deadlineMs) {
        certificate?.stop();
        endWatch();
        return joined.close(deadlineMs);
      },
    };
  });
};

/** Runs a step of the start; if it fails, stops the app within the drain timeout and rethrows. */
export const withRollback = async <T>(
  app: Runnable,
  { settings }: Plan,
  step: () => Promise<T>,
): Promise<T> => {
  try {
    return await step();
  } catch (error) {
    await timesOut(app.stop(), settings.cluster.shutdownTimeoutSecs * 1000);
    throw error;
  }
};
