import { ClientError } from "../http/client-error.ts";

/** A reply that the document does not declare. */
export class UndeclaredReplyError extends ClientError {
  override readonly name = "UndeclaredReplyError";
  /** Status of the reply. */
  readonly replyStatus: number;
  /** Header fields of the reply. */
  readonly replyHeaders: Headers;
  /** The first 65,536 characters of the body. */
  readonly body: string;
  /** Id of the request in the log of the service, from `X-Request-ID` of the reply; `null` without one. */
  readonly requestId: string | null;

  constructor(route: string, reply: Response, body: string) {
    const type = reply.headers.get("content-type") ?? "no content";
    super(
      "CLIENT_UNDECLARED_REPLY",
      `${route} returned ${reply.status} with ${type}, which the document does not declare`,
    );
    this.replyStatus = reply.status;
    this.replyHeaders = reply.headers;
    this.body = body;
    this.requestId = reply.headers.get("x-request-id");
  }
}
