/** What is measured here, from its source, and the SDK of AWS, as `@framework/sqs` has it. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";

export { sqsBroker } from "../../packages/sqs/src/index.ts";
export { startSqs } from "../../tools/services/src/sqs.ts";

/** A message of the SDK. */
export interface BareMessage {
  readonly ReceiptHandle?: string;
}

interface BareReply {
  readonly Messages?: readonly BareMessage[];
  readonly Failed?: readonly unknown[];
}

/** The part of `@aws-sdk/client-sqs` that is used here. */
export interface BareSdk {
  readonly SQSClient: new (config: object) => { send(command: object): Promise<BareReply>; destroy(): void };
  readonly SendMessageBatchCommand: new (input: object) => object;
  readonly ReceiveMessageCommand: new (input: object) => object;
  readonly DeleteMessageBatchCommand: new (input: object) => object;
}

/** `@aws-sdk/client-sqs`, as `@framework/sqs` has it. */
export const loadSdk = (): BareSdk =>
  createRequire(new URL("../../packages/sqs/package.json", import.meta.url))(
    "@aws-sdk/client-sqs",
  ) as BareSdk;
