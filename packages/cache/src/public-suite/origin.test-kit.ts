import { App, HttpError, type HttpRequest, Response } from "@framework/core";
import type { VirtualClock } from "@framework/testing";
import { type Caching, caching } from "../index.ts";

/** The members of the suite's server that the app uses. */
export interface SuiteServer {
  /** Replies to a request of a test according to the configuration that its client sent earlier. */
  readonly handleTest: (path: readonly string[], request: SentRequest, reply: RecordedReply) => void;
  readonly setConfig: (id: string, requests: unknown) => void;
  /** Received requests, by test. */
  readonly stash: ReadonlyMap<string, unknown>;
}

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Creates the application under test: the suite's server as its handlers, with the cache in front of them.
 *
 * `ttl` is 0, as the suite requires: it expects that only replies with explicit freshness are stored.
 */
export const originApp = (
  { handleTest, setConfig, stash }: SuiteServer,
  clock: VirtualClock,
): App & Caching => {
  const app = new (App.with(caching))().enableCaching({ ttl: 0, clock });
  app.put("/config/{id}", async (request) => {
    setConfig(request.params.id, await request.json());
    return new Response(null, { status: 201 });
  });
  app.get("/state/{id}", { cache: false }, ({ params }) => JSON.stringify(stash.get(params.id) ?? []));
  const respond = (request: HttpRequest<{ readonly id: string }>): Response => {
    const reply = new RecordedReply(request);
    const { method, path, headers } = request;
    handleTest([request.params.id], { method, url: path, headers: Object.fromEntries(headers) }, reply);
    return reply.toResponse();
  };
  app.route("/test/{id}", { methods: ["GET", "POST", "PUT", "DELETE"] }, respond);
  app.get("/test/{id}/{*file}", respond);
  return app;
};

/** The part of Node's `ServerResponse` that the suite's server uses. */
class RecordedReply {
  statusCode = 200;
  readonly socket = {
    destroy: (): void => {
      throw new HttpError(502, "The origin closed the connection");
    },
  };
  private readonly request: HttpRequest;
  private readonly fields = new Map<string, string | readonly string[]>();
  private body: string | null = null;

  constructor(request: HttpRequest) {
    this.request = request;
  }

  hasHeader(name: string): boolean {
    return this.fields.has(name.toLowerCase());
  }

  getHeader(name: string): string | readonly string[] | undefined {
    return this.fields.get(name.toLowerCase());
  }

  getHeaders(): Readonly<Record<string, string | readonly string[]>> {
    return Object.fromEntries(this.fields);
  }

  setHeader(name: string, value: unknown): void {
    this.fields.set(name.toLowerCase(), Array.isArray(value) ? value.map(String) : String(value));
  }

  writeEarlyHints(fields: Readonly<Record<string, string>>): void {
    this.request.sendEarlyHints(fields);
  }

  /** Handlers cannot send a 102. */
  writeProcessing(): void {}

  end(body: string | null = null): void {
    this.body = body;
  }

  toResponse(): Response {
    const length = this.getHeader("content-length");
    const body = length === undefined ? this.body : (this.body?.slice(0, Number(length)) ?? null); // the length that a client would read
    const response = new Response(body, { status: this.statusCode });
    for (const [name, value] of this.fields) {
      if (name === "content-length") continue;
      response.headers.delete(name);
      for (const line of [value].flat()) response.appendHeader(name, line);
    }
    return response;
  }
}
