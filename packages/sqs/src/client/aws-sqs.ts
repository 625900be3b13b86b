import { createRequire } from "node:module";

type AwsSqs = typeof import("@aws-sdk/client-sqs");

let loaded: AwsSqs | undefined;

/** Loads the AWS client on first use, so that apps with another broker do not load it. */
export const awsSqs = (): AwsSqs =>
  (loaded ??= createRequire(import.meta.url)("@aws-sdk/client-sqs") as AwsSqs);
