import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** One whole reply of a server. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Bytes that the reply took on its connection. */
  readonly bytes: number;
  /** Whether the server said that it closes the connection after it. */
  readonly closes: boolean;
}

/** Reads a reply to its end. @param before bytes that its connection had received before @throws when the connection breaks */
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
