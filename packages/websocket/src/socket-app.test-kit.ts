import { once } from "node:events";
import { App, type RunOptions, type Running } from "@framework/core";
import { WebSocket } from "ws";
import { websocket, type WebSocketMethods } from "./index.ts";

type SocketApp = App & WebSocketMethods;

/** A service on its own port, which closes its clients when it stops. */
export interface Served {
  readonly app: SocketApp;
  readonly url: string;
  /** Opens a client of `ws`. */
  open(
    path: string,
    options?: { protocols?: string[]; headers?: Record<string, string>; deflate?: boolean },
  ): Promise<WebSocket>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves an app with WebSockets. */
export const serve = async (
  configure: (app: SocketApp) => void,
  options: RunOptions = {},
): Promise<Served> => {
  const app = new (App.with(websocket))() as SocketApp;
  configure(app);
  return serveApp(app, options);
};

/** Serves an app that may have other features. */
export const serveApp = async (app: SocketApp, options: RunOptions = {}): Promise<Served> => {
  const running: Running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false, ...options });
  const clients: WebSocket[] = [];
  const url = running.url.replace(/\/$/, "");
  const close = async (): Promise<void> => {
    for (const client of clients) client.terminate();
    await running.close();
  };
  return {
    app,
    url,
    close: () => running.close(),
    async open(path, { protocols = [], headers = {}, deflate = false } = {}) {
      const client = new WebSocket(`${url.replace("http", "ws")}${path}`, protocols, {
        headers,
        perMessageDeflate: deflate,
      });
      clients.push(client);
      collected.set(client, collectFrom(client));
      await once(client, "open");
      return client;
    },
    [Symbol.asyncDispose]: close,
  };
};

/** All messages that a client has received, and its close code. */
export interface Collected {
  readonly texts: string[];
  readonly closed: Promise<[code: number, reason: string]>;
}

const collected = new WeakMap<WebSocket, Collected>();

const collectFrom = (client: WebSocket): Collected => {
  const texts: string[] = [];
  client.on("message", (data: Buffer, isBinary: boolean) =>
    texts.push(isBinary ? `binary:${data.toString("hex")}` : data.toString()),
  );
  const closed = once(client, "close").then(([code, reason]): [number, string] => [
    code as number,
    String(reason),
  ]);
  closed.catch(() => {}); // a refused handshake is an error of `open`
  return { texts, closed };
};

/** Returns a client's messages in order, and its close code and reason. */
export const collect = (client: WebSocket): Collected => {
  const found = collected.get(client);
  if (found === undefined) throw new Error("not a client of this kit");
  return found;
};
