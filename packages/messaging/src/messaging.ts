import { type ConfigInput, type Feature, isClock, isPlainObject } from "@framework/core/feature";
import type { DurableMethods } from "@framework/durable";
import { type Kernel, kernelOf } from "@framework/durable/feature";
import { type ConfigKind, registerSetup } from "./brokers/config-kinds.ts";
import { memoryBroker } from "./memory/memory-broker.ts";
import { DEFAULT_BROKER, MessagingApp } from "./messaging-app.ts";
import { isAdapter, type MessagingConfig } from "./messaging-config.ts";
import type { Messaging } from "./messaging-api.ts";
import type { BrokerAdapter } from "./port/broker-adapter.ts";
import { messagingOf } from "./messaging-of.ts";

/** The methods that the feature adds to an app. */
export interface MessagingMethods {
  /**
   * Enables messaging: on the app's database by default, in memory, or on a broker adapter. A broker's package adds its own configuration.
   *
   * @throws CORE_BAD_CONFIG, MESSAGING_BAD_CONFIG at start, together with all other configuration errors
   */
  enableMessaging(config?: ConfigInput<MessagingConfig>): this;
  /** Sends, requests and subscriptions of the app. */
  readonly messaging: Messaging;
}

/**
 * Adds messaging with the same guarantees on every broker: typed messages, order by key, retries, at-least-once delivery, and dead letters that can be replayed.
 *
 * @example
 * const app = new (App.with(database, durable, messaging))().enableDatabase().enableMessaging();
 * app.messaging.subscribe("books", { group: "search", schema: Book }, async ({ data }) => await index(data));
 * await app.messaging.send("books", { type: "book.created", key: "7", data: { id: "7", title: "Emma" } });
 */
export const messaging: Feature<MessagingMethods> = {
  name: "messaging",
  install: (host, needs) => {
    const app = new MessagingApp(host, kernelIn(needs));
    const api = messagingOf(app);
    const kinds = registerSetup(api, {
      addBroker: (...added) => app.enable(...added),
      outline: () => app.outline(),
    });
    return {
      enableMessaging(config: object = {}) {
        enable(app, kinds, config);
        return this;
      },
      get messaging() {
        return api;
      },
    };
  },
};

/** Returns the kernel of durable if durable was composed before messaging; otherwise `null`. */
const kernelIn = (needs: object): Kernel | null =>
  "durable" in needs ? kernelOf(needs as DurableMethods) : null;

const enable = (app: MessagingApp, kinds: readonly ConfigKind[], config: object): void => {
  if (!isPlainObject(config)) return app.enable(DEFAULT_BROKER, memoryBroker(), config); // reported at start
  const kind = kinds.find((each) => each.matches(config));
  if (kind !== undefined) {
    const { adapter, shared } = kind.open(config);
    return app.enable(DEFAULT_BROKER, adapter, shared);
  }
  const own = config as ConfigInput<MessagingConfig>;
  const { broker } = own;
  if (broker === undefined || broker === "database") return app.enableOnDatabase(own);
  const { clock } = own;
  const inMemory = (): BrokerAdapter => memoryBroker(isClock(clock) ? { clock } : {}); // the app reports an invalid clock at start
  app.enable(DEFAULT_BROKER, isAdapter(broker) ? broker : inMemory(), own);
};
