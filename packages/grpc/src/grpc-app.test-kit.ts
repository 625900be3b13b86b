import { App, type Running, type RunOptions } from "@framework/core";
import { z } from "zod";
import { grpcClient, type GrpcClient, type GrpcClientOptions } from "./client.ts";
import { type Grpc, grpc, grpcService, type GrpcService, type MethodShapes } from "./index.ts";

export const Book = z.object({
  id: z.int(),
  title: z.string(),
  rating: z.number().optional(),
  tags: z.array(z.string()),
  author: z.object({ name: z.string(), born: z.int().nullable() }).optional(),
  extra: z.record(z.string(), z.string()).optional(),
  note: z.unknown().optional(),
});
export type Book = z.infer<typeof Book>;

/** A service of all four kinds. */
export const catalog = grpcService("books.v1.Catalog", {
  methods: {
    GetBook: { request: z.object({ id: z.int().min(1) }), response: Book },
    ListBooks: { request: z.object({ count: z.int() }), response: Book, responseStream: true },
    AddBooks: { request: Book, response: z.object({ added: z.int() }), requestStream: true },
    Chat: {
      request: z.object({ text: z.string() }),
      response: z.object({ text: z.string() }),
      requestStream: true,
      responseStream: true,
    },
  },
});

export type GrpcApp = App & Grpc;

/** A running app, and clients of it that are closed with it. */
export interface Served {
  readonly app: GrpcApp;
  readonly url: string;
  /** `host:port` of the gRPC port. */
  readonly target: string;
  readonly port: number;
  client<M extends MethodShapes>(service: GrpcService<M>, options?: GrpcClientOptions): GrpcClient<M>;
  /** Stops the app; clients stay open. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const serve = async (set: (app: GrpcApp) => void, options: RunOptions = {}): Promise<Served> => {
  const app = new (App.with(grpc))() as GrpcApp;
  set(app);
  return serveApp(app, options);
};

/** Like `serve`, for an app with other features. */
export const serveApp = async (app: GrpcApp, options: RunOptions = {}): Promise<Served> => {
  const running: Running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false, ...options });
  const port = app.grpcAddress?.port ?? 0;
  const target = `127.0.0.1:${port}`;
  const clients: { close(): void }[] = [];
  return {
    app,
    url: running.url.replace(/\/$/, ""),
    target,
    port,
    client(service, clientOptions) {
      const client = grpcClient(service, target, { timeoutMs: 5_000, ...clientOptions });
      clients.push(client);
      return client;
    },
    stop: () => running.close(),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await running.close();
    },
  };
};

export const aBook = (id: number): Book => ({ id, title: `book ${id}`, tags: [] });

/** Reads an iterable to its end. */
export const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** The error of a call that must fail. */
export const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => error,
  );
