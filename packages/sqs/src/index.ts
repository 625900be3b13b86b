export { sqs, type SqsMethods } from "./sqs.ts";
export { sqsBroker } from "./sqs-broker.ts";
export { SqsConfig, type SqsCredentials } from "./sqs-config.ts";
export { sqsErrors } from "./error-codes.ts";
