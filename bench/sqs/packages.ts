/** The measured packages, loaded from their sources, and the AWS SDK. */
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

/** The used part of `@aws-sdk/client-sqs`. */
export interface BareSdk {
  readonly SQSClient: new (config: object) => { send(command: object): Promise<BareReply>; destroy(): void };
  readonly SendMessageBatchCommand: new (input: object) => object;
  readonly ReceiveMessageCommand: new (input: object) => object;
  readonly DeleteMessageBatchCommand: new (input: object) => object;
}

/** `@aws-sdk/client-sqs` in the version of `@framework/sqs`. */
export const loadSdk = (): BareSdk =>
  createRequire(new URL("../../packages/sqs/package.json", import.meta.url))(
    "@aws-sdk/client-sqs",
  ) as BareSdk;
