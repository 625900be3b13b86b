import { randomUUID } from "node:crypto";
import { JwtAuth, RoleGuard } from "@framework/auth";
import { App, type Guard, type Invocation } from "@framework/core";
import { database } from "@framework/database";
import { databaseInFile } from "@framework/database/testing";
import { durable, type ParkedItem } from "@framework/durable";
import { field, graphql } from "@framework/graphql";
import { grpc, grpcService } from "@framework/grpc";
import { grpcClient } from "@framework/grpc/client";
import { logging } from "@framework/logging";
import { messaging } from "@framework/messaging";
import { waitFor } from "@framework/testing";
import { websocket } from "@framework/websocket";
import { WebSocket } from "ws";
import { z } from "zod";

/** Decision of an entry point: `ok`, or the HTTP status of the rejection. */
export type AccessDecision = "ok" | 401 | 403;

/** Calls one entry point with a bearer token; `null` for none. */
export type EntryPointCall = (token: string | null) => Promise<AccessDecision>;

const empty = z.object({});
const service = grpcService("decisions.v1.Decisions", {
  methods: { Open: { request: empty, response: empty } },
});
const clientAt = (port: number | undefined) => grpcClient(service, `127.0.0.1:${port}`);
const TOPIC = "decisions";
const GROUP = "keepers";

export const entryPointNames = ["HTTP", "WebSocket", "GraphQL", "gRPC", "gRPC-Web", "messages"] as const;

/** Entry points of every kind, with the same authentication and the same guard. */
export interface EntryPoints extends AsyncDisposable {
  readonly calls: Readonly<Record<(typeof entryPointNames)[number], EntryPointCall>>;
}

const authHeaders = (token: string | null): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` };

const toDecision = (status: number): AccessDecision => {
  if (status === 401 || status === 403) return status;
  if (status >= 200 && status < 300) return "ok";
  throw new Error(`the status ${status} is not an access decision`);
};

/** Returns the decision about a message that was parked. @throws Error for a message that was parked for another reason */
const decisionOf = ({ errorMessage }: ParkedItem): AccessDecision => {
  const status = /rejected \((\d+)\)/.exec(errorMessage)?.[1];
  if (status === undefined) throw new Error(`the message was parked without a decision: ${errorMessage}`);
  return toDecision(Number(status));
};

/** Opens an entry point of each kind. */
export const openEntryPoints = async (auth: JwtAuth): Promise<EntryPoints> => {
  const testDatabase = databaseInFile();
  const guard: Guard<Invocation> = new RoleGuard(["keeper"]);
  const app = new (App.with(logging, websocket, graphql, grpc, database, durable, messaging))();
  app
    .enableLogging({ level: "silent" }) // each rejected message logs an error
    .enableDatabase({ url: testDatabase.url })
    .enableGraphql({
      schema: "type Query { open: Boolean }",
      resolvers: { Query: { open: field({ guards: [guard] }, () => true) } },
    })
    .enableGrpc({ address: "127.0.0.1:0", enableWeb: true, auth })
    .enableMessaging();
  app.use(auth);
  app.get("/decision", { guards: [guard] }, () => "open");
  app.websocket("/decision/socket", { guards: [guard] }, () => {});
  app.addGrpcService(service, { Open: { guards: [guard], handle: () => ({}) } });
  const opened = new Set<string>();
  app.messaging.subscribe(TOPIC, { group: GROUP, auth, guards: [guard] }, ({ id }) => void opened.add(id));
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false });
  const url = running.url.replace(/\/$/, "");
  const client = clientAt(app.grpcAddress?.port);
  return {
    calls: {
      HTTP: async (token) =>
        toDecision((await fetch(`${url}/decision`, { headers: authHeaders(token) })).status),
      WebSocket: (token) => handshake(`${url.replace("http", "ws")}/decision/socket`, token),
      GraphQL: (token) => query(`${url}/graphql`, token),
      gRPC: (token) => call(client, token),
      "gRPC-Web": (token) => callOverWeb(`${url}/${service.name}/Open`, token),
      messages: async (token) => {
        const id = randomUUID();
        await app.messaging.send(TOPIC, { type: "open", id, key: id, headers: authHeaders(token) });
        const end = await waitFor(
          async () => (opened.has(id) ? "opened" : (await app.durable.parked.list({ key: id })).items[0]),
          { subject: "the message to be handled or parked", timeoutMs: 60_000 },
        );
        return end === "opened" ? "ok" : decisionOf(end);
      },
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await running.close();
      await testDatabase[Symbol.asyncDispose]();
    },
  };
};

const handshake = (url: string, token: string | null): Promise<AccessDecision> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: authHeaders(token) });
    socket.once("open", () => {
      socket.terminate();
      resolve("ok");
    });
    socket.once("unexpected-response", (_request, { statusCode = 0 }) => {
      resolve(toDecision(statusCode));
      socket.terminate();
    });
    socket.once("error", reject);
  });

const query = async (url: string, token: string | null): Promise<AccessDecision> => {
  const headers = { "content-type": "application/json", ...authHeaders(token) };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query: "{ open }" }) });
  if (reply.status !== 200) return toDecision(reply.status);
  const { errors } = (await reply.json()) as {
    readonly errors?: readonly { readonly extensions: { readonly status: number } }[];
  };
  return errors === undefined ? "ok" : toDecision(errors[0]?.extensions.status ?? 0);
};

const statuses: Readonly<Record<string, AccessDecision>> = { UNAUTHENTICATED: 401, PERMISSION_DENIED: 403 };

/** Sends an empty message. The app's middleware rejects with an HTTP status, a guard of the method with a gRPC status. */
const callOverWeb = async (url: string, token: string | null): Promise<AccessDecision> => {
  const headers = { "content-type": "application/grpc-web+proto", ...authHeaders(token) };
  const reply = await fetch(url, { method: "POST", headers, body: new Uint8Array(5) });
  if (reply.status !== 200) return toDecision(reply.status);
  const inBody = /grpc-status: ?(\d+)/.exec(await reply.text())?.[1]; // in the trailer frame of a response
  const status = reply.headers.get("grpc-status") ?? inBody;
  return status === "0" ? "ok" : status === "7" ? 403 : toDecision(Number(status));
};

const call = async (client: ReturnType<typeof clientAt>, token: string | null): Promise<AccessDecision> => {
  try {
    await client.Open({}, { metadata: authHeaders(token) });
    return "ok";
  } catch (error) {
    const decision = statuses[(error as { readonly status?: string }).status ?? ""];
    if (decision === undefined) throw error;
    return decision;
  }
};
