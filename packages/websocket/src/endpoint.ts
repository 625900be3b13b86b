import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { HttpError, type HttpRequest, type Response, type UpgradedConnection } from "@framework/core";
import {
  type Attributes,
  type ConfigInput,
  createInvocation,
  givenFields,
  type HostState,
  textOf,
} from "@framework/core/feature";
import type { WebSocket, WebSocketServer } from "ws";
import { checkHandshake, handshakeFields } from "./handshake.ts";
import { type MessageWork, OpenSocket } from "./open-socket.ts";
import type { Sockets } from "./sockets.ts";
import type { WebSocketConfig, WebSocketLimits } from "./websocket-config.ts";
import { WebSocketClose } from "./websocket-close.ts";
import type { AnyHandler, AnyOptions } from "./websocket-handler.ts";

/** The members of a request that `ws` reads, and the header fields of the 101 reply. */
interface Handshake {
  readonly method: "GET";
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: readonly string[];
}

/** Dependencies of an endpoint. */
export interface EndpointParts {
  readonly sockets: Sockets;
  readonly state: Pick<HostState, "invoke">;
  readonly options: AnyOptions;
  readonly handler: AnyHandler;
}

/** One WebSocket route. */
export class Endpoint {
  private readonly sockets: Sockets;
  private readonly state: Pick<HostState, "invoke">;
  private readonly options: AnyOptions;
  private readonly handler: AnyHandler;
  private server: WebSocketServer | null = null;
  private mergedConfig: WebSocketConfig | null = null;
  private write: ((value: unknown) => string) | null = null;

  constructor({ sockets, state, options, handler }: EndpointParts) {
    this.sockets = sockets;
    this.state = state;
    this.options = options;
    this.handler = handler;
  }

  /** Accepts the handshake, or calls the option `http` for a request without an upgrade. @param dependencies the route's injections, if any @throws HttpError */
  respond(request: HttpRequest, dependencies: readonly unknown[]): unknown {
    const { http } = this.options;
    if (http !== undefined && request.upgrade === null) return http(request);
    return this.accept(request, dependencies);
  }

  /** The app's configuration with the route's own limits. Cached on first access, so read it only after the app has been configured. */
  get config(): WebSocketConfig {
    return (this.mergedConfig ??= withLimits(this.sockets.config, this.options.limits));
  }

  private accept(request: HttpRequest, dependencies: readonly unknown[]): Response {
    const { origins, deflate } = this.config;
    const upgrade = checkHandshake(request, origins);
    const extension = this.sockets.checkOffers(request, deflate);
    const { "sec-websocket-extensions": _, ...fields } = handshakeFields(request);
    const headers = extension === null ? fields : { ...fields, "sec-websocket-extensions": extension };
    return upgrade.accept((connection) => {
      const handshake: Handshake = { method: "GET", headers, fields: connection.fields };
      this.open(connection, handshake, (ws) => {
        const open = this.createSocket(ws, connection, request);
        // The scope of the request is still open here: `Depends` works in the handler, and its values live until the handler has settled.
        void request.scope.call(undefined, () => this.serve(open, request, dependencies));
      });
    });
  }

  private open(
    { socket, head }: UpgradedConnection,
    handshake: Handshake,
    serve: (ws: WebSocket) => void,
  ): void {
    this.server ??= this.newServer();
    const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
    this.server.handleUpgrade(handshake as unknown as IncomingMessage, socket as Duplex, bytes, serve);
  }

  private newServer(): WebSocketServer {
    const server = this.sockets.newServer(this.config, this.options.protocols ?? []);
    server.on("headers", (lines: string[], request: IncomingMessage) => {
      const { fields } = request as unknown as Handshake;
      for (let at = 0; at < fields.length; at += 2) lines.push(`${fields[at]}: ${fields[at + 1]}`);
    });
    return server;
  }

  private createSocket(
    ws: WebSocket,
    { socket, draining }: UpgradedConnection,
    request: HttpRequest,
  ): OpenSocket {
    const { config } = this;
    const { rooms, traffic, heartbeat } = this.sockets;
    const write = (this.write ??= this.sockets.jsonWriter(`a message of ${request.route ?? request.path}`));
    const open: OpenSocket = new OpenSocket(
      {
        ws,
        socket: socket as Duplex,
        config,
        rooms,
        traffic,
        write,
        check: (value) => this.check(value),
        invoke: (work) => this.invoke(open, request, work),
      },
      traffic.now(),
    );
    traffic.opened++;
    heartbeat.add(open);
    const closeForDrain = (): void => void open.close(1001, "the service is shutting down");
    if (draining.aborted) closeForDrain();
    draining.addEventListener("abort", closeForDrain, { once: true });
    ws.once("close", () => {
      heartbeat.remove(open);
      draining.removeEventListener("abort", closeForDrain);
    });
    return open;
  }

  /** Handles one message in its own invocation, with the identity and the parameters of its connection. */
  private invoke({ signal }: OpenSocket, request: HttpRequest, work: MessageWork): unknown {
    const { headers, params, context } = request;
    const name = request.route ?? request.path;
    const invocation = createInvocation({ kind: "websocket", name, headers, params, context, signal });
    const { messages } = this.sockets;
    const invoke = (): unknown => this.state.invoke(invocation, this.options.injectEach, work);
    return messages.isObserved ? messages.run(invocation, invoke) : invoke();
  }

  private async check(value: unknown): Promise<unknown> {
    const { message } = this.options;
    if (message === undefined) return value;
    const result = await message["~standard"].validate(value);
    if (result.issues === undefined) return result.value;
    throw new WebSocketClose(1008, result.issues[0]?.message ?? "the message does not match the schema");
  }

  private async serve(
    open: OpenSocket,
    request: HttpRequest,
    dependencies: readonly unknown[],
  ): Promise<void> {
    const session = this.sockets.sessions.begin(request);
    if (session !== null) void open.ended.then(() => session.end(closeCode(open)));
    const handle = (): unknown => this.handler(open, request as never, ...dependencies);
    try {
      await (session === null ? handle() : session.within(handle));
      await open.close(1000);
    } catch (error) {
      if (WebSocketClose.is(error)) return await open.close(error.closeCode, error.reason);
      if (isRefusal(error)) return await open.close(1008, textOf(error.detail)); // a program may set a detail to any value
      if (isDisconnect(error, open)) return await open.ended; // it may still be closing, after a 1013
      session?.fail(error);
      this.sockets.log?.error("a WebSocket handler failed", { error, route: request.route });
      await open.close(1011, "internal error");
    }
  }
}

const withLimits = (config: WebSocketConfig, limits: ConfigInput<WebSocketLimits> = {}): WebSocketConfig => ({
  ...config,
  ...givenFields(limits),
});

const closeCode = ({ closed }: OpenSocket): Attributes =>
  closed === null ? {} : { "websocket.close_code": closed.code };

/** Whether an error refuses the caller, such as an error of `verifyGuards`. */
const isRefusal = (error: unknown): error is HttpError =>
  HttpError.is(error) && (error.status === 401 || error.status === 403);

/** Whether an error only reports that the client disconnected during a send, which is not a failure of the handler. */
const isDisconnect = (error: unknown, { connected }: OpenSocket): boolean =>
  !connected && Error.isError(error) && (error as { code?: unknown }).code === "WEBSOCKET_CLOSED";
