import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Attributes } from "@framework/core/feature";
import type { HttpRequest, Response, UpgradedConnection } from "@framework/core";
import type { WebSocket, WebSocketServer } from "ws";
import { checkHandshake, handshakeFields } from "./handshake.ts";
import { OpenSocket } from "./open-socket.ts";
import type { Sockets } from "./sockets.ts";
import { WebSocketClose } from "./websocket-close.ts";
import type { AnyHandler, AnyOptions } from "./websocket-handler.ts";

/** What `ws` reads of a request, and the fields that go out with the 101. */
interface Handshake {
  readonly method: "GET";
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: readonly string[];
}

/** One WebSocket route. */
export class Endpoint {
  readonly #sockets: Sockets;
  readonly #options: AnyOptions;
  readonly #handler: AnyHandler;
  #server: WebSocketServer | null = null;

  constructor(sockets: Sockets, options: AnyOptions, handler: AnyHandler) {
    this.#sockets = sockets;
    this.#options = options;
    this.#handler = handler;
  }

  /** Accepts the handshake or refuses it as HTTP. @param dependencies what the route injects, if anything @throws HttpError */
  answer(request: HttpRequest, dependencies: readonly unknown[]): Response {
    const door = checkHandshake(request, this.#sockets.config.origins);
    const headers = handshakeFields(request);
    const keep = dependencies.length === 0 ? null : keepInjected(request);
    return door.accept((connection) =>
      this.#open(headers, connection, (open) => {
        const served = this.#serve(open, request, dependencies);
        keep?.(served);
      }),
    );
  }

  #open(
    headers: Readonly<Record<string, string>>,
    connection: UpgradedConnection,
    serve: (open: OpenSocket) => void,
  ): void {
    const { socket, head, fields, draining } = connection;
    const handshake: Handshake = { method: "GET", headers, fields };
    this.#server ??= this.#newServer();
    const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
    this.#server.handleUpgrade(handshake as unknown as IncomingMessage, socket as Duplex, bytes, (ws) => {
      const open = this.#begin(ws, socket as Duplex);
      const goodbye = (): void => void open.close(1001, "the service is going away");
      if (draining.aborted) goodbye();
      draining.addEventListener("abort", goodbye, { once: true });
      ws.once("close", () => draining.removeEventListener("abort", goodbye));
      serve(open);
    });
  }

  #newServer(): WebSocketServer {
    const server = this.#sockets.newServer(this.#options.protocols ?? []);
    server.on("headers", (lines: string[], request: IncomingMessage) => {
      const { fields } = request as unknown as Handshake;
      for (let at = 0; at < fields.length; at += 2) lines.push(`${fields[at]}: ${fields[at + 1]}`);
    });
    return server;
  }

  #begin(ws: WebSocket, socket: Duplex): OpenSocket {
    const { config, rooms, traffic, heartbeat } = this.#sockets;
    const open = new OpenSocket(
      { ws, socket, config, rooms, traffic, check: (value) => this.#check(value) },
      traffic.now(),
    );
    traffic.opened++;
    heartbeat.add(open);
    ws.once("close", () => heartbeat.remove(open));
    return open;
  }

  async #check(value: unknown): Promise<unknown> {
    const { message } = this.#options;
    if (message === undefined) return value;
    const result = await message["~standard"].validate(value);
    if (result.issues === undefined) return result.value;
    throw new WebSocketClose(1008, result.issues[0]?.message ?? "the message does not match");
  }

  async #serve(open: OpenSocket, request: HttpRequest, dependencies: readonly unknown[]): Promise<void> {
    const session = this.#sockets.sessions.begin(request);
    if (session !== null) void open.ended.then(() => session.end(closeCode(open)));
    const handle = (): unknown => this.#handler(open, request as never, ...dependencies);
    try {
      await (session === null ? handle() : session.within(handle));
      await open.close(1000);
    } catch (error) {
      if (WebSocketClose.is(error)) return await open.close(error.closeCode, error.reason);
      if (isOwnEnd(error, open)) return;
      session?.fail(error);
      this.#sockets.log?.error("a WebSocket handler failed", { error, route: request.route });
      await open.close(1011, "internal error");
    }
  }
}

const closeCode = ({ closed }: OpenSocket): Attributes =>
  closed === null ? {} : { "websocket.close_code": closed.code };

/** A handler that was sending when the client left has done nothing wrong. */
const isOwnEnd = (error: unknown, { connected }: OpenSocket): boolean =>
  !connected && Error.isError(error) && (error as { code?: unknown }).code === "WEBSOCKET_CLOSED";

/** Keeps what was injected alive until a promise has settled; without one, because nobody was upgraded, it ends with the request. */
const keepInjected = (request: HttpRequest): ((served: Promise<void>) => void) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  request.scope.during(promise);
  request.onEnd(() => resolve()); // after the upgrade, so too late for one that is served
  return resolve;
};
