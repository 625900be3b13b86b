import type { ServerResponse } from "node:http";

/** Replies with JSON in the efficient way of `node:http`, without tuning options. */
export const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
};
