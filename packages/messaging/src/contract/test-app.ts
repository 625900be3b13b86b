import { App, type Logger } from "@framework/core";
import type { ConfigInput } from "@framework/core/feature";
import { messaging, type MessagingMethods } from "../messaging.ts";
import type { MessagingConfig } from "../messaging-config.ts";
import type { BrokerFixture } from "./broker-fixture.ts";
import { until } from "./until.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };

/** An app of a fact: one process on the fixture's broker. */
export class TestApp implements AsyncDisposable {
  readonly app: App & MessagingMethods;
  readonly topic: string;
  readonly group: string;
  private isStopped = false;

  constructor(fixture: BrokerFixture, config: ConfigInput<Omit<MessagingConfig, "broker">> = {}) {
    this.topic = `${fixture.prefix}-topic`;
    this.group = `${fixture.prefix}-group`;
    this.app = new (App.with(messaging))().enableMessaging({
      topics: [this.topic],
      ...config,
      broker: fixture.adapter(),
    });
  }

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

  /** Sends data with a type. */
  async send(data: unknown, members: { readonly key?: string; readonly type?: string } = {}): Promise<void> {
    await this.messaging.send(this.topic, { type: "test.sent", ...members, data });
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    await this.app.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
