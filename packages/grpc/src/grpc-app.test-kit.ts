import { App, type Running, type RunOptions } from "@framework/core";
import { z } from "zod";
import { grpcClient, type GrpcClient, type GrpcClientOptions } from "./client.ts";
import {
  type Grpc,
  grpc,
  grpcService,
  type GrpcService,
  type MethodShapes,
  type SchemaService,
} from "./index.ts";

/** A book with every kind of field. */
export interface Book {
  readonly id: number;
  readonly title: string;
  readonly rating?: number | undefined;
  readonly tags: readonly string[];
  readonly author?: { readonly name: string; readonly born: number | null } | undefined;
  readonly extra?: Readonly<Record<string, string>> | undefined;
  readonly note?: unknown;
}

const book: z.ZodType<Book, Book> = z.object({
  id: z.int(),
  title: z.string(),
  rating: z.number().optional(),
  tags: z.array(z.string()).readonly(),
  author: z.object({ name: z.string(), born: z.int().nullable() }).optional(),
  extra: z.record(z.string(), z.string()).optional(),
  note: z.unknown().optional(),
}) as unknown as z.ZodType<Book, Book>; // the members of its output type are not readonly

interface Line {
  readonly text: string;
}

const line: z.ZodType<Line, Line> = z.object({ text: z.string() });

/** The schemas of `catalog`. */
export type CatalogSchemas = {
  readonly GetBook: Unary<{ readonly id: number }, Book>;
  readonly ListBooks: Unary<{ readonly count: number }, Book> & { readonly responseStream: true };
  readonly AddBooks: Unary<Book, { readonly added: number }> & { readonly requestStream: true };
  readonly Chat: Unary<Line, Line> & { readonly requestStream: true; readonly responseStream: true };
};

interface Unary<Request, Response> {
  readonly request: z.ZodType<Request, Request>;
  readonly response: z.ZodType<Response, Response>;
}

/** A service with methods of all four kinds. */
export const catalog: SchemaService<CatalogSchemas> = grpcService("books.v1.Catalog", {
  methods: {
    GetBook: { request: z.object({ id: z.int().min(1) }), response: book },
    ListBooks: { request: z.object({ count: z.int() }), response: book, responseStream: true },
    AddBooks: { request: book, response: z.object({ added: z.int() }), requestStream: true },
    Chat: { request: line, response: line, requestStream: true, responseStream: true },
  },
});

export type GrpcApp = App & Grpc;

/** A running app and its clients; disposing it closes both. */
export interface ServedApp {
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

export const serve = async (
  configure: (app: GrpcApp) => void,
  options: RunOptions = {},
): Promise<ServedApp> => {
  const app = new (App.with(grpc))() as GrpcApp;
  configure(app);
  return serveApp(app, options);
};

/** Serves an app that may have other features. */
export const serveApp = async (app: GrpcApp, options: RunOptions = {}): Promise<ServedApp> => {
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
      const client = grpcClient(service, target, { timeoutMs: 60_000, ...clientOptions });
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

/** Collects all items of an iterable. */
export const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Returns the error of a call that must fail. */
export const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => error,
  );
