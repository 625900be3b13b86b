import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type HttpClient, httpClient } from "./http-client.ts";
import type { HttpClientOptions } from "./http-options.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of node:http on a free port. */
export interface HttpService extends AsyncDisposable {
  readonly host: string;
  readonly url: string;
  /** The requests received so far. */
  readonly seen: readonly IncomingMessage[];
}

/** Starts a server on a free port. */
export const serve = async (listener: Listener): Promise<HttpService> => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { host, url: `http://${host}`, seen, [Symbol.asyncDispose]: close };
};

/** Creates a client of a service. */
export const open = (url: string, options: Omit<HttpClientOptions, "baseUrl"> = {}): HttpClient =>
  httpClient({ baseUrl: url, ...options });
