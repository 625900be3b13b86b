import type { ConfigInput, Feature } from "@framework/core/feature";
import type { MessagingMethods } from "@framework/messaging";
import { messagingSetup } from "@framework/messaging/adapter";
import { type CachedFile, sendFile, textFile } from "../pages/cached-file.ts";
import { AsyncapiConfig } from "./asyncapi-config.ts";
import { createAsyncapi } from "./asyncapi-document.ts";

/** The methods that the feature adds to an app. */
export interface Asyncapi {
  /**
   * Serves an AsyncAPI 3 document of every topic that the app sends to or subscribes to.
   *
   * @throws CORE_BAD_CONFIG at start, together with all other configuration errors
   */
  enableAsyncapi(config?: ConfigInput<AsyncapiConfig>): this;
}

/**
 * Adds an AsyncAPI 3 document to an app, generated once at start from its topics and subscriptions with the schemas of their messages.
 *
 * @example
 * const app = new (App.with(messaging, asyncapi))().enableMessaging({ broker: memoryBroker(), topics: [books] }).enableAsyncapi();
 */
export const asyncapi: Feature<Asyncapi, MessagingMethods> = {
  name: "asyncapi",
  requires: { members: ["messaging"], example: "App.with(messaging, asyncapi)" },
  install: (host, needs) => ({
    enableAsyncapi(input) {
      const config = host.configure(AsyncapiConfig, input);
      const { guards, path } = config;
      let file: CachedFile = textFile("", "application/json"); // never sent: set at start
      host.life.onStart({
        name: "asyncapi",
        async run() {
          const document = await createAsyncapi(config, messagingSetup(needs).outline());
          const headers = { "cache-control": "no-cache" };
          file = textFile(JSON.stringify(document), "application/json", { headers });
        },
      });
      host.http.route("GET", path, (request) => sendFile(request, file), { guards, exempt: ["limits"] });
      return this;
    },
  }),
};
