import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** A complete reply of a server. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Bytes of the reply on its connection, head included. */
  readonly bytes: number;
  /** Whether the reply has `Connection: close`. */
  readonly closes: boolean;
}

/** Reads a reply to its end. @param before bytes received on the connection before the reply @throws when the connection breaks */
export const readReply = async (message: IncomingMessage, before: number): Promise<Reply> => {
  const { socket, headers, statusCode = 0 } = message;
  message.setEncoding("utf8");
  let body = "";
  for await (const piece of message) body += String(piece);
  return {
    status: statusCode,
    headers,
    body,
    bytes: socket.bytesRead - before,
    closes: headers.connection?.toLowerCase() === "close",
  };
};
