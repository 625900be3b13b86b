import { breaker } from "@framework/breaker";
import { timeout } from "@framework/core";
import {
  createApiClient,
  httpClient,
  type Operation,
  type OutgoingRequest,
  type ReplyOf,
  retryRequests,
} from "./index.ts";

interface Api {
  readonly get: Operation<
    { params: { id: string }; headers?: { "X-A"?: number } },
    { 200: { a: number }; "4XX": string; default: undefined }
  >;
  readonly filter: Operation<
    { headers: { "X-Ids": string[]; "X-Range"?: { from: number }; "X-Note"?: string | null } },
    { 204: undefined }
  >;
  readonly list: Operation<object, { 200: string[] }>;
}

declare const api: Parameters<typeof createApiClient>[0];
const client = createApiClient<Api>(api, "http://h", { timeoutMs: 1, use: [retryRequests()] });

void client.list();
void client.list({ signal: AbortSignal.timeout(1), headers: { "X-Other": "1" } });
void client.get({ params: { id: "1" }, headers: { "X-A": 1, "X-Other": "b" } }).then((reply) => {
  if (reply.status === 404) return reply.body?.length;
  // @ts-expect-error a number is not a string
  const text: string = reply.status;
  return text;
});

interface Pet {
  readonly name: string;
}
interface Failure {
  readonly code: number;
}

declare const pets: ReplyOf<{ 200: Pet[]; default: Failure }>;
if (pets.status === 200) void pets.body[0]?.name;
else void pets.body.code;
if (pets.ok) void pets.body[0]?.name;
else void pets.body.code;
if (pets.status === 503) void pets.body.code;
// @ts-expect-error the body depends on the status
void pets.body.code;

declare const ranged: ReplyOf<{ 404: { t: string }; "4XX": Failure; "2XX": Pet }>;
if (ranged.status === 404) void ranged.body.t;
if (ranged.status === 409) void ranged.body.code;
if (ranged.ok) void ranged.body.name;

declare const failures: ReplyOf<{ 404: Failure; default: Pet }>;
if (failures.status === 200) void failures.body.name;
export const either: boolean = failures.ok;
// @ts-expect-error a status other than 404 may be 2xx or not
export const failed: false = failures.ok;

declare const undeclared: ReplyOf<{ default: Failure }>;
export const status: number = undeclared.status;
if (undeclared.status === 499) void undeclared.body.code;

declare const unregistered: ReplyOf<{ 299: Pet; 499: Failure }>;
if (unregistered.ok) void unregistered.body.name;
else void unregistered.body.code;

// @ts-expect-error the path has a parameter
void client.get();
// @ts-expect-error a header field of the operation has its type
void client.get({ params: { id: "1" }, headers: { "X-A": true } });
void client.filter({ headers: { "X-Ids": ["a"], "X-Range": { from: 1 }, "X-Note": null, "X-Other": "b" } });
// @ts-expect-error a header field that is a list must be a list
void client.filter({ headers: { "X-Ids": "a" } });
// @ts-expect-error the operation needs its field
void client.filter({ headers: { "X-Other": "b" } });
// @ts-expect-error a function is not a value of a header field
void client.filter({ headers: { "X-Ids": [], "X-Other": () => "b" } });
// @ts-expect-error no such operation
void client.post();
// @ts-expect-error a misspelt option
createApiClient<Api>(api, "http://h", { timeoutMS: 1 });

httpClient({
  baseUrl: "http://h",
  use: [
    retryRequests(),
    breaker<OutgoingRequest, Response>(),
    timeout<OutgoingRequest, Response>({ timeoutMs: 1 }),
  ],
});
// @ts-expect-error a client needs its base URL
httpClient({});
