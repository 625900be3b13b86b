import { App } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { startReceiver, type Fault, type Received } from "./otlp-receiver.test-kit.ts";
import type { OpenTelemetryConfig } from "./telemetry-config.ts";
import { type Telemetry, telemetry } from "./telemetry.ts";

export type TracedApp = App & Telemetry;

/** An app with telemetry that is not enabled yet. */
export const newApp = (): TracedApp => new (App.with(telemetry))();

/** An app with its own receiver. `finish` stops the app and returns the receiver with all spans. */
export interface TracedService extends AsyncDisposable {
  readonly app: TracedApp;
  readonly receiver: Received;
  finish(): Promise<Received>;
}

/** Creates an app; the first request or `app.start()` starts it. */
export const tracedService = async (
  config: ConfigInput<OpenTelemetryConfig> = {},
  { fault, app = newApp() }: { readonly fault?: Fault; readonly app?: TracedApp } = {},
): Promise<TracedService> => {
  const receiver = await startReceiver(fault);
  app.enableTelemetry({ otlpEndpoint: receiver.url, ...config });
  return {
    app,
    receiver,
    async finish() {
      await app.stop();
      return receiver;
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
      await receiver.close();
    },
  };
};

/** Sends a GET and reads its reply to the end. */
export const get = async (
  app: App,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> => {
  const reply = await app.fetch(new Request(`http://shop.test${path}`, { headers }));
  await reply.clone().text();
  return reply;
};
