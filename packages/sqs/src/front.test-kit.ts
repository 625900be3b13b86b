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

/** A front of SQS that refuses entries of batches, as SQS does now and then. */
export interface SqsFront extends AsyncDisposable {
  readonly url: string;
  /** Actions that were asked for, with their inputs. */
  readonly requests: (BatchInput & {
    readonly action: string;
    readonly authorization: string;
    readonly token: unknown;
  })[];
  /** Decides which entries are refused; they do not reach the server. */
  fails: (action: string, entry: Entry) => { readonly Code: string; readonly SenderFault: boolean } | null;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Starts a front on loopback. @param endpoint of SQS; without one it answers by itself that all other entries succeeded */
export const startFront = async (endpoint: string | null): Promise<SqsFront> => {
  const forward = async (request: IncomingMessage, input: BatchInput): Promise<Answer> => {
    if (endpoint === null)
      return { status: 200, body: { Successful: (input.Entries ?? []).map(({ Id }) => ({ Id })) } };
    const headers = { "content-type": "", "x-amz-target": "", authorization: "", ...request.headers };
    const { "content-type": type, "x-amz-target": target, authorization } = headers;
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: { "content-type": type, "x-amz-target": String(target), authorization },
      body: JSON.stringify(input),
    });
    return { status: answer.status, body: (await answer.json()) as Answer["body"] };
  };
  const answerTo = async (request: IncomingMessage): Promise<Answer> => {
    const input = JSON.parse(await text(request)) as BatchInput;
    const action = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    const { authorization = "", "x-amz-security-token": token } = request.headers;
    front.requests.push({ action, authorization, token, ...input });
    const { Entries } = input;
    if (Entries === undefined) return await forward(request, input);
    const failed = Entries.flatMap((entry) => {
      const failure = front.fails(action, entry);
      return failure === null ? [] : [{ Id: entry.Id, ...failure }];
    });
    const left = Entries.filter(({ Id }) => failed.every((entry) => entry.Id !== Id));
    if (left.length === 0) return { status: 200, body: { Successful: [], Failed: failed } };
    const { status, body } = await forward(request, { ...input, Entries: left });
    return { status, body: { ...body, Failed: failed } };
  };
  const server = createServer((request, response) => {
    void answerTo(request).then(
      ({ status, body }) =>
        response
          .writeHead(status, { "content-type": "application/x-amz-json-1.0" })
          .end(JSON.stringify(body)),
      () => response.destroy(), // the server or the client has gone
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const front: SqsFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fails: () => null,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return front;
};
