import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionHub } from "../hub/connection-hub.ts";
import { NodeConnection } from "./node-connection.ts";
import type { NodeResponse } from "./node-messages.ts";
import type { ParseError } from "./node-parse-errors.ts";
import { createNodeServer } from "./node-server.ts";

/** Serves sockets over `node:http`; with TLS, the decrypted sockets. */
export class NodeHttp {
  private readonly hub: ConnectionHub;
  private readonly server: Server;
  private readonly bySocket = new Map<Socket, NodeConnection>();

  constructor(hub: ConnectionHub) {
    this.hub = hub;
    this.server = createNodeServer(hub.options, this.canUpgrade);
    this.server.on("request", this.onRequest);
    this.server.on("checkContinue", this.onRequest);
    this.server.on("checkExpectation", this.onRequest);
    this.server.on("connect", this.onConnect);
    this.server.on("upgrade", this.onUpgrade);
    this.server.on("clientError", this.onClientError);
  }

  /**
   * Serves a socket; `emit("connection")` is the documented way to pass one to a server of `node:http`.
   *
   * @param served number of earlier requests on this connection, for `maxRequestsPerConnection`
   * @param headSince start time of an incomplete head; `null` for none
   */
  take(socket: Socket, served: number, headSince: number | null = null): void {
    this.attach(socket, served, headSince);
    this.server.emit("connection", socket);
    this.bySocket.get(socket)?.begin();
    if (socket.isPaused()) socket.resume();
  }

  private attach(socket: Socket, served: number, headSince: number | null): void {
    const connection = new NodeConnection(socket, this.hub, served, headSince);
    this.bySocket.set(socket, connection);
    this.hub.add(connection);
    socket.on("close", () => this.bySocket.delete(socket));
  }

  private readonly onRequest = (request: IncomingMessage, response: NodeResponse): void => {
    this.bySocket.get(request.socket)?.onRequest(request, response);
  };

  private readonly onConnect = (request: IncomingMessage, stream: NodeJS.EventEmitter): void => {
    stream.on("error", ignore); // a wrapper of the socket if a body follows; the socket has its own listeners
    this.bySocket.get(request.socket)?.onConnect(request);
  };

  private readonly canUpgrade = (request: IncomingMessage): boolean =>
    this.bySocket.get(request.socket)?.canUpgrade(request) === true;

  private readonly onUpgrade = (request: IncomingMessage, _stream: unknown, rest: Uint8Array): void => {
    this.bySocket.get(request.socket)?.onUpgrade(request, rest);
  };

  private readonly onClientError = (error: ParseError, socket: unknown): void => {
    const connection = this.bySocket.get(socket as Socket);
    if (connection === undefined) (socket as Socket).destroy();
    else connection.onParseError(error);
  };
}

/** A socket error needs no handling, because the socket then closes. */
const ignore = (): void => {};
