import { Agent, request as httpRequest } from "node:http";
import type { LoadRequest } from "./load-request.ts";
import type { RequestOutcome } from "./open-loop.ts";

/** Sends requests over keep-alive connections. */
export interface HttpSender extends Disposable {
  /** Resolves with the status when the reply has ended, or with the code of an error. Never rejects. */
  send(): Promise<RequestOutcome>;
}

/** Creates a sender to a service on this machine. */
export const httpSender = (url: string, { method, path, headers, body }: LoadRequest): HttpSender => {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  return {
    send: async () => {
      const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
      const onError = ({ code }: NodeJS.ErrnoException): void => resolve(code ?? "ERROR");
      try {
        const request = httpRequest({ hostname, port, method, path, headers, agent }, (reply) => {
          reply.on("end", () => resolve(reply.statusCode ?? 0));
          reply.on("error", onError);
          reply.resume();
        });
        request.on("error", onError);
        request.end(body ?? undefined);
      } catch (error) {
        onError(error as NodeJS.ErrnoException); // Node throws for some requests
      }
      return promise;
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
};
