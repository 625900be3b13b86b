import { type Feature, mapAwaitable } from "@framework/core/feature";

/** A received request and its reply. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` until there is a reply. */
  status: number | null;
}

export interface Recording {
  /** Returns the requests received so far in order: all requests, or the requests for one path. */
  received(path?: string): readonly Exchange[];
}

/** Records every request, as the outermost middleware. */
export const recorder: Feature<Recording> = {
  name: "recorder",
  install: (host) => {
    const exchanges: Exchange[] = [];
    host.http.use("telemetry", (request, next) => {
      const { method, path, headers } = request;
      const exchange: Exchange = { method, path, headers: Object.fromEntries(headers), status: null };
      exchanges.push(exchange);
      return mapAwaitable(next(request), (reply) => {
        exchange.status = reply.status;
        return reply;
      });
    });
    return {
      received: (path) => exchanges.filter((exchange) => path === undefined || exchange.path === path),
    };
  },
};

/** Returns a summary per request, such as `GET 200`. */
export const summarize = (exchanges: readonly Exchange[]): string[] =>
  exchanges.map(({ method, status }) => `${method} ${status}`);
