import { FrameworkError } from "@framework/core";
import type { AppSettings } from "@framework/core";
import type { ConfigInput, Feature, FeatureListener, Host } from "@framework/core/feature";
import { reserveToken, runToken } from "./access/run-token.ts";
import { DevtoolsConfig } from "./devtools-config.ts";
import { faultPanel } from "./faults/fault-panel.ts";
import { FaultInjector } from "./faults/fault-injector.ts";
import { pause } from "./faults/pause.ts";
import { devServer } from "./serve/dev-server.ts";
import { DevWorker } from "./workers/dev-worker.ts";

/** The methods that the feature adds to an app. */
export interface Devtools {
  /**
   * Serves the dev page on a separate port of 127.0.0.1, in development only; the start message has its link with the token of the run.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors; DEVTOOLS_FAULTS_IN_PRODUCTION
   */
  enableDevtools(config?: ConfigInput<DevtoolsConfig>): this;
  /** The link of the dev page, with the token; `null` before the service listens, and in production. */
  readonly devtoolsUrl: string | null;
}

/**
 * A page for developers of the program: live requests with the reason for each step, routes, metrics, panels of features with their actions, and
 * fault injection. Disabled in production.
 *
 * @example
 * const app = new (App.with(devtools))().enableDevtools();
 * await app.run();
 */
export const devtools: Feature<Devtools> = {
  name: "devtools",
  install: (host) => {
    let url = (): string | null => null;
    return {
      enableDevtools(given) {
        url = enable(this, host, host.configure(DevtoolsConfig, given));
        return this;
      },
      get devtoolsUrl() {
        return url();
      },
    };
  },
};

/** @returns a function that returns the link of the page */
const enable = (app: object, host: Host, config: DevtoolsConfig): (() => string | null) => {
  const faults = new FaultInjector(host.insight, { seed: config.seed, pause });
  const worker = new DevWorker({ app, host, config, faults });
  const takeToken = reserveToken();
  let token: string | null = null;
  const listener: FeatureListener = host.life.listener({
    name: "devtools",
    host: "127.0.0.1",
    port: config.port,
    env: "development",
    serve: devServer({
      access: () => {
        const port = listener.address?.port;
        return token === null || port === undefined ? null : { token, port };
      },
      stream: () => worker.stream(),
      call: (call, of) => worker.call(call, of),
    }),
  });
  // The token is in the fragment, which browsers never send to a server.
  const url = (): string | null =>
    token === null || listener.address === null
      ? null
      : `http://127.0.0.1:${listener.address.port}/#token=${token}`;

  host.http.use("fault", faults.middleware);
  host.insight.traceRequests().link("devtools", url);
  host.insight.panel(faultPanel(faults, (rules) => worker.setFaults(rules)));
  host.life.onStart({
    name: "devtools",
    run: async (settings) => {
      const own = takeToken();
      if (!isEnabled(settings, config)) return;
      const { values } = settings.own ?? settings.shared;
      token = await runToken(values, own);
      await worker.start(settings, values);
    },
  });
  host.life.onListening({ name: "devtools", run: (settings) => announce(settings, url()) });
  host.life.onDrain(() => worker.drain());
  host.life.onStop({ name: "devtools", run: () => worker.stop() });
  return url;
};

/** Whether the tools are enabled. @throws DEVTOOLS_FAULTS_IN_PRODUCTION */
const isEnabled = ({ env, log }: AppSettings, { faults }: DevtoolsConfig): boolean => {
  if (env !== "production") return true;
  if (faults.length > 0)
    throw new FrameworkError(
      "DEVTOOLS_FAULTS_IN_PRODUCTION",
      "devtools: faults are configured and the service runs in production; remove them from DevtoolsConfig.faults",
    );
  log.warn("devtools: disabled in production; call enableDevtools in development only", {
    code: "DEVTOOLS_IN_PRODUCTION",
  });
  return false;
};

/** Logs the link once per service, unless `quiet` is set or the start message on a terminal has it. */
const announce = async (settings: AppSettings, url: string | null): Promise<void> => {
  if (url === null || process.stdout.isTTY || settings.quiet === true) return;
  const { values } = settings.own ?? settings.shared;
  if (await values.set("devtools.announced", true, { ttlMs: 86_400_000, ifAbsent: true }))
    settings.log.info(`devtools: ${url}`);
};
