import { ClientError } from "../http/client-error.ts";

/** A reply that the document does not declare. */
export class UndeclaredReplyError extends ClientError {
  override readonly name = "UndeclaredReplyError";
  /** Status of the reply. */
  readonly replyStatus: number;
  /** Header fields of that reply. */
  readonly replyHeaders: Headers;
  /** The first 64 KiB of the body as text. */
  readonly body: string;
  /** The request's id in the service's log, from `X-Request-ID` of the reply. */
  readonly requestId: string | null;

  constructor(route: string, reply: Response, body: string) {
    const type = reply.headers.get("content-type") ?? "no content";
    super(
      "CLIENT_UNDECLARED_REPLY",
      `${route} answered ${reply.status} with ${type}, which its document does not declare`,
    );
    this.replyStatus = reply.status;
    this.replyHeaders = reply.headers;
    this.body = body;
    this.requestId = reply.headers.get("x-request-id");
  }
}
