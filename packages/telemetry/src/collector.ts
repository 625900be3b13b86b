/** Whether a value is the URL of a collector. */
export const isEndpoint = (value: unknown): value is string =>
  typeof value === "string" && /^https?:\/\//i.test(value) && URL.canParse(value);

/** Whether a value is a supported protocol. */
export const isProtocol = (value: unknown): value is "grpc" | "http/protobuf" =>
  value === "grpc" || value === "http/protobuf";
