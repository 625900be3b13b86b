import type { ServerResponse } from "node:http";

/** Sends a JSON reply efficiently with `node:http`, without tuning options. */
export const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
};
