import type * as Grpc from "@grpc/grpc-js";
import type { Duplex } from "node:stream";
import type { CloseResult, SocketPort } from "./socket-port.ts";
import { GrpcError } from "../status/grpc-error.ts";
import type { CallRunner } from "../call/call-runner.ts";

/** Milliseconds before the deadline of the drain at which calls that still run end with UNAVAILABLE. */
const ABORT_BEFORE_DEADLINE_MS = 100;

/** The connections of the gRPC port, which grpc-js serves. */
export class GrpcPort implements SocketPort {
  private readonly injector: ReturnType<Grpc.Server["createConnectionInjector"]>;
  private readonly runner: CallRunner;
  private readonly sockets: Set<Duplex> = new Set();
  private whenEmpty: () => void = () => {};
  private isDraining = false;

  constructor(server: Grpc.Server, credentials: Grpc.ServerCredentials, runner: CallRunner) {
    this.injector = server.createConnectionInjector(credentials);
    this.runner = runner;
  }

  /** Open connections. */
  get size(): number {
    return this.sockets.size;
  }

  /** Serves an unread connection, after its TLS handshake if there is one. */
  accept(socket: Duplex): void {
    if (this.isDraining) return void socket.destroy();
    this.sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.sockets.delete(socket);
      if (this.sockets.size === 0) this.whenEmpty();
    });
    this.injector.injectConnection(socket);
  }

  /** Sends GOAWAY on every connection: calls in progress finish, and clients send new calls to another instance. */
  drain(): void {
    if (this.isDraining) return;
    this.isDraining = true;
    this.injector.destroy(); // closes sessions gracefully; its `drain` would destroy them after its own timeout
  }

  /** Resolves when the last connection is closed. Shortly before the deadline, calls that still run get UNAVAILABLE and are counted. */
  async close(deadlineMs: number): Promise<CloseResult> {
    this.drain();
    if (this.sockets.size === 0) return { cut: 0 };
    let cut = 0;
    const closed = new Promise<void>((resolve) => {
      this.whenEmpty = resolve;
    });
    const timer = setTimeout(
      () => {
        cut = this.runner.abortAll(new GrpcError("UNAVAILABLE", "The service is shutting down"));
      },
      Math.max(0, deadlineMs - ABORT_BEFORE_DEADLINE_MS),
    );
    await closed;
    clearTimeout(timer);
    return { cut };
  }
}
