import { Agent, request as httpRequest } from "node:http";
import type { Ending } from "./open-loop.ts";

/** One request, as it is sent again and again. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Sends requests over kept connections. */
export interface HttpSender extends Disposable {
  /** Resolves with the status when the reply has ended, or with the code of a network error. */
  send(): Promise<Ending>;
}

/** Creates a sender to a service on this machine. */
export const httpSender = (url: string, { method, path, headers, body }: LoadRequest): HttpSender => {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  return {
    send: () =>
      new Promise((resolve) => {
        const request = httpRequest({ hostname, port, method, path, headers, agent }, (reply) => {
          reply.on("end", () => resolve(reply.statusCode ?? 0));
          reply.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "ERROR"));
          reply.resume();
        });
        request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "ERROR"));
        request.end(body ?? undefined);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
};
