import { randomUUID } from "node:crypto";
import type { ConfigInput } from "@framework/core/feature";
import type { SharedConfig } from "@framework/messaging/adapter";
import { TestApp, TestProcess } from "@framework/messaging/testing";
import { type SqsConfig, sqsBroker } from "./index.ts";

/** The emulator takes any. */
export const credentials = { accessKeyId: "test", secretAccessKey: "secret-of-the-test" };

/** Names that no other test has. */
export const newName = (): string => `t${randomUUID().slice(0, 8)}`;

/** The adapter in one process, without the rest of messaging; its topic is `<prefix>-topic`. */
export const processOn = (config: ConfigInput<SqsConfig>, prefix: string = newName()): TestProcess =>
  new TestProcess(sqsBroker({ credentials, ...config }), prefix);

/** An app on SQS; its topic is `<prefix>-topic`, its group `<prefix>-group`. */
export const appOn = (
  config: ConfigInput<SqsConfig>,
  { prefix = newName(), ...shared }: SharedConfig & { readonly prefix?: string } = {},
): TestApp => new TestApp({ adapter: () => sqsBroker({ credentials, ...config }), prefix }, shared);
