/** The attribute `messaging.system` of OpenTelemetry's conventions for an adapter. */
export const messagingSystem = (adapterName: string): string =>
  adapterName === "sqs" ? "aws_sqs" : adapterName;
