import { App, type Logger } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { database, type DatabaseMethods } from "@framework/database";
import { durable, type DurableMethods } from "@framework/durable";
import { messaging, type MessagingMethods } from "../../messaging.ts";
import type { MessagingConfig } from "../../messaging-config.ts";
import type { BrokerFixture } from "./broker-fixture.ts";
import { until } from "./until.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };

/** An app on the fixture's broker, which represents one process. */
export class TestApp implements AsyncDisposable {
  /** The app. */
  readonly app: App & DatabaseMethods & DurableMethods & MessagingMethods;
  /** Default topic: `<prefix>-topic`. */
  readonly topic: string;
  /** Default group: `<prefix>-group`. */
  readonly group: string;
  private isStopped = false;

  constructor(fixture: BrokerFixture, config: ConfigInput<Omit<MessagingConfig, "broker">> = {}) {
    this.topic = `${fixture.prefix}-topic`;
    this.group = `${fixture.prefix}-group`;
    this.app = new (App.with(database, durable, messaging))()
      .enableDatabase({ url: fixture.databaseUrl ?? "sqlite://:memory:" })
      .enableDurable({ pollMinMs: 5, pollMaxMs: 50 })
      .enableMessaging({
        topics: [this.topic],
        ...config,
        broker: fixture.adapter(),
      });
  }

  /** The messaging of the app. */
  get messaging(): MessagingMethods["messaging"] {
    return this.app.messaging;
  }

  /** Starts the app and waits until every subscription runs. */
  async start(): Promise<this> {
    await this.app.start({ log: quiet });
    await until("the subscriptions to run", () =>
      this.messaging.status().every(({ state }) => state === "running"),
    );
    return this;
  }

  /** Creates the table of effects of a test, and returns its name; call it after the start. */
  async createEffects(): Promise<string> {
    const name = `effects_${this.topic.replaceAll("-", "_")}`;
    await this.app.db.execute(`CREATE TABLE IF NOT EXISTS ${name} (message TEXT NOT NULL)`);
    return name;
  }

  /** Sends data to the default topic. */
  async send(data: unknown, members: { readonly key?: string; readonly type?: string } = {}): Promise<void> {
    await this.messaging.send(this.topic, { type: "test.sent", ...members, data });
  }

  /** Stops the app. May be called again. */
  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    await this.app.stop();
    await this.app.db.close(); // the stop of an app that never started does not close it
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
