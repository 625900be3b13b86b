import { createRequire } from "node:module";

type AwsSqs = typeof import("@aws-sdk/client-sqs");

let loaded: AwsSqs | undefined;

/** Loads the client of AWS on first use, so that apps that choose another broker do not pay for it. */
export const awsSqs = (): AwsSqs =>
  (loaded ??= createRequire(import.meta.url)("@aws-sdk/client-sqs") as AwsSqs);
