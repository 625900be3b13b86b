// For applications.
export { httpClient, type HttpClient } from "./http/http-client.ts";
export type { CallingWork, CallInit } from "./http/call-init.ts";
export type { CommonHeaders } from "./http/header-fields.ts";
export type { HttpClientOptions } from "./http/http-options.ts";
export {
  type Fetch,
  isRepeatable,
  type OutgoingBody,
  type OutgoingMiddleware,
  type OutgoingRequest,
} from "./http/outgoing-request.ts";
export type { StreamRule } from "./http/stream-rule.ts";
export { retryRequests, type RetryRequestsOptions } from "./http/retry-requests.ts";
export { ClientError } from "./http/client-error.ts";
export { UndeclaredReplyError } from "./api/undeclared-reply-error.ts";
export { generateClient, type GenerateOptions } from "./generator/generate-client.ts";
export { clientErrors } from "./error-codes.ts";

// For generated clients.
export { type ClientLifecycle, type ClientOptions, createApiClient } from "./api/create-client.ts";
export type { Credentials } from "./api/credentials.ts";
export type {
  ApiSpec,
  BytesBody,
  BytesReply,
  CallOptions,
  Input,
  Operation,
  OperationSpec,
  Reply,
  ReplyKind,
  ReplyOf,
  SecurityPlace,
  ServerSentEvent,
  StatusOf,
} from "./api/operation.ts";
