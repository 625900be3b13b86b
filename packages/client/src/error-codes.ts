import type { ErrorCatalogue } from "@framework/core/feature";

/** The error codes of this package. */
export const clientErrors: ErrorCatalogue = {
  CLIENT_BAD_DOCUMENT: {
    summary: "a document is not OpenAPI 3.0 or 3.1, or cannot be read",
    action: "correct the document as the message says; convert Swagger 2 first",
  },
  CLIENT_BAD_PARAMETER: {
    summary:
      "a path parameter is missing, empty, `.` or `..`, a parameter, header field, cookie or body cannot be sent, or a call has an unknown or malformed option",
    action: "correct the parameter or option that the message names",
  },
  CLIENT_BAD_URL: {
    summary: "the target of a call is not a path, or not an http or https URL, or has credentials",
    action: "start paths with `/`, and pass credentials as header fields",
  },
  CLIENT_BODY_TOO_LARGE: {
    summary: "a reply, or one event or line of a stream, is larger than its limit",
    action: "raise `maxReplyBytes` or `maxEventCharacters`, or read the reply as a stream",
  },
  CLIENT_CLOSED: {
    summary: "the client was closed before or during a call",
    action: "close a client only after its last call",
  },
  CLIENT_HOST_REFUSED: {
    summary: "a call or a redirect targets a host that is not allowed, or an address that is not public",
    action: "add the host to `allowedHosts` if the program may call it",
  },
  CLIENT_MALFORMED_REPLY: {
    summary: "a reply with a JSON type is malformed JSON",
    action: "fix the service: its reply contradicts its Content-Type",
  },
  CLIENT_NO_REPLY: {
    summary: "the connection failed before the whole reply arrived",
    action: "`cause` has the reason; `retryRequests` retries idempotent calls",
  },
  CLIENT_TIMEOUT: {
    status: 504,
    summary: "a reply did not arrive within `timeoutMs`, or its body paused for `idleTimeoutMs`",
    action: "raise the limit, or check the called service",
  },
  CLIENT_TOO_MANY_CALLS: {
    status: 503,
    summary: "`maxCalls` calls are already in progress",
    action: "make fewer concurrent calls, or raise `maxCalls`",
  },
  CLIENT_TOO_MANY_REDIRECTS: {
    summary: "a reply redirects more than `maxRedirects` times",
    action: "call the final URL",
  },
  CLIENT_UNDECLARED_REPLY: {
    summary: "the status or type of a reply is not in the document",
    action:
      "the error has `replyStatus`, `body` and `requestId`; generate the client again if the document has changed",
  },
};
