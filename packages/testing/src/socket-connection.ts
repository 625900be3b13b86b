import { Readable } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import type { Connection } from "./client.ts";
import { testingError } from "./errors.ts";
import type { PreparedRequest } from "./request-init.ts";

/** A listening service, with the function that stops it. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

interface Opened {
  readonly agent: Agent;
  readonly origin: string;
  readonly service: Listening;
}

/** Characters that are invalid in a request target: spaces, control characters below U+0020, characters above U+00FF. */
const INVALID_IN_TARGET = /[^\u0021-\u00ff]/;

/** Sends requests to a service over sockets; the first request calls `listen` and loads undici. */
export const socketConnection = (listen: () => Promise<Listening>): Connection => {
  let opening: Promise<Opened> | undefined;
  const opened = (): Promise<Opened> => {
    opening ??= open(listen);
    return opening;
  };
  return {
    origin: async () => (await opened()).origin,
    async send(request, signal) {
      const { agent, origin } = await opened();
      const { method, target, headers } = request;
      if (INVALID_IN_TARGET.test(target)) {
        const message = `the path ${JSON.stringify(target)} is invalid in a request line; encode it, as encodeURI does`;
        throw testingError("TESTING_BAD_OPTION", message);
      }
      const body = request.body instanceof ReadableStream ? Readable.fromWeb(request.body) : request.body;
      const reply = await agent.request({ origin, path: target, method, headers, body, signal });
      return toResponse(reply, method);
    },
    async close() {
      const open = await opening?.catch(() => undefined); // the first request rejects with this error
      await open?.agent.destroy(); // first, because a stopping service waits for connected clients
      await open?.service.close();
    },
  };
};

/** The client has its own timeout; those of undici would end a longer one, and an idle stream, after five minutes. */
const unlimited = { headersTimeout: 0, bodyTimeout: 0 };

const open = async (listen: () => Promise<Listening>): Promise<Opened> => {
  const { Agent } = await import("undici");
  const service = await listen();
  return { agent: new Agent(unlimited), origin: new URL(service.url).origin, service };
};

/** Statuses whose replies have no body in the web's Response. */
const bodilessStatuses: readonly number[] = [204, 205, 304];

const toResponse = async (
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  method: PreparedRequest["method"],
): Promise<Response> => {
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const line of [value ?? []].flat()) fields.append(name, line);
  }
  if (method !== "HEAD" && !bodilessStatuses.includes(status)) {
    return new Response(Readable.toWeb(body), { status, headers: fields });
  }
  await body.dump();
  return new Response(null, { status, headers: fields });
};
