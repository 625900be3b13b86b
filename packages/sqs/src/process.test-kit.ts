import { randomUUID } from "node:crypto";
import type { ConfigInput } from "@framework/core/feature";
import type { SharedConfig } from "@framework/messaging/adapter";
import { TestApp, TestProcess } from "@framework/messaging/testing";
import { type SqsConfig, sqsBroker } from "./index.ts";

/** Any credentials, which the emulator accepts. */
export const credentials = { accessKeyId: "test", secretAccessKey: "secret-of-the-test" };

/** Number of messages of each test: more with FRAMEWORK_SQS_MESSAGES=100000. */
export const MESSAGES: number = Number(process.env["FRAMEWORK_SQS_MESSAGES"] ?? 80);
/** Time limit of a test. */
export const LIMIT_MS: number = 300_000 + MESSAGES * 30;
/** Sending plan of a recorder: the number of keys, which grows with the number of messages, and the messages of one request. */
export const sends: { readonly keys: number; readonly together: number } = {
  keys: MESSAGES > 10_000 ? 100 : 20,
  together: 10,
};

/** Returns a unique name. */
export const newName = (): string => `t${randomUUID().slice(0, 8)}`;

/** Creates a process with the adapter, without the rest of messaging; its topic is `<prefix>-topic`. */
export const processOn = (config: ConfigInput<SqsConfig>, prefix: string = newName()): TestProcess =>
  new TestProcess(sqsBroker({ credentials, ...config }), prefix);

/** Creates an app on SQS; its topic is `<prefix>-topic`, its group `<prefix>-group`. */
export const appOn = (
  config: ConfigInput<SqsConfig>,
  { prefix = newName(), ...shared }: SharedConfig & { readonly prefix?: string } = {},
): TestApp => new TestApp({ adapter: () => sqsBroker({ credentials, ...config }), prefix }, shared);
