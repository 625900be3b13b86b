import type { Middleware } from "@framework/core";
import type { Host } from "@framework/core/feature";
import type { GrpcService, MethodShapes } from "../service/grpc-service.ts";
import { appCalls } from "./app-calls.ts";
import type { GrpcClientOptions, OutgoingCall } from "./client-config.ts";
import { type GrpcClient, grpcClient } from "./grpc-client.ts";

/** The clients of one app. They close when the app has stopped, because handlers that finish during the drain still use them. */
export class AppClients {
  private readonly calls: Middleware<OutgoingCall, unknown>;
  private readonly clients = new Set<Disposable>();

  constructor({ insight, life }: Pick<Host, "insight" | "life">) {
    this.calls = appCalls(insight);
    life.onStop({
      name: "grpc clients",
      run: () => {
        for (const client of this.clients) client[Symbol.dispose]();
      },
    });
  }

  open<Methods extends MethodShapes>(
    service: GrpcService<Methods>,
    target: string,
    options: GrpcClientOptions = {},
  ): GrpcClient<Methods> {
    const { use = [] } = options;
    const all = Array.isArray(use) ? [this.calls, ...(use as NonNullable<GrpcClientOptions["use"]>)] : use; // `grpcClient` reports a value that is not a list
    const client = grpcClient(service, target, { ...options, use: all });
    const { close } = client;
    const forget = (): void => {
      this.clients.delete(own);
      close();
    };
    const own: GrpcClient<Methods> = { ...client, close: forget, [Symbol.dispose]: forget };
    this.clients.add(own);
    return own;
  }
}
