/** Returns an adapter's value of OpenTelemetry's attribute `messaging.system`. */
export const messagingSystem = (adapterName: string): string =>
  adapterName === "sqs" ? "aws_sqs" : adapterName;
