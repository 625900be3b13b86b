import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Entry {
  readonly Id: string;
  readonly ReceiptHandle?: string;
  readonly MessageBody?: string;
}

interface BatchInput {
  readonly QueueUrl?: string;
  readonly Entries?: readonly Entry[];
}

/** A proxy to SQS that can make batch entries fail. */
export interface FaultyProxy extends AsyncDisposable {
  readonly url: string;
  /** Received requests. */
  readonly requests: (BatchInput & {
    readonly action: string;
    readonly authorization: string;
    readonly token: unknown;
  })[];
  /** Returns the error of an entry that must fail, and is then not forwarded; `null` for other entries. */
  fails: (action: string, entry: Entry) => { readonly Code: string; readonly SenderFault: boolean } | null;
}

interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Starts a proxy on loopback. @param endpoint URL of SQS; with `null` all other entries succeed */
export const startFaultyProxy = async (endpoint: string | null): Promise<FaultyProxy> => {
  const forward = async (request: IncomingMessage, input: BatchInput): Promise<Reply> => {
    if (endpoint === null)
      return { status: 200, body: { Successful: (input.Entries ?? []).map(({ Id }) => ({ Id })) } };
    const headers = { "content-type": "", "x-amz-target": "", authorization: "", ...request.headers };
    const { "content-type": type, "x-amz-target": target, authorization } = headers;
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": type, "x-amz-target": String(target), authorization },
      body: JSON.stringify(input),
    });
    return { status: response.status, body: (await response.json()) as Reply["body"] };
  };
  const replyTo = async (request: IncomingMessage): Promise<Reply> => {
    const input = JSON.parse(await text(request)) as BatchInput;
    const action = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    const { authorization = "", "x-amz-security-token": token } = request.headers;
    proxy.requests.push({ action, authorization, token, ...input });
    const { Entries } = input;
    if (Entries === undefined) return await forward(request, input);
    const failed = Entries.flatMap((entry) => {
      const failure = proxy.fails(action, entry);
      return failure === null ? [] : [{ Id: entry.Id, ...failure }];
    });
    const rest = Entries.filter(({ Id }) => failed.every((entry) => entry.Id !== Id));
    if (rest.length === 0) return { status: 200, body: { Successful: [], Failed: failed } };
    const { status, body } = await forward(request, { ...input, Entries: rest });
    return { status, body: { ...body, Failed: failed } };
  };
  const server = createServer((request, response) => {
    void replyTo(request).then(
      ({ status, body }) =>
        response
          .writeHead(status, { "content-type": "application/x-amz-json-1.0" })
          .end(JSON.stringify(body)),
      () => response.destroy(), // the server or the client has disconnected
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fails: () => null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
};
