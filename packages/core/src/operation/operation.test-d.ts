import { Context, type HttpRequest, isHttpRequest, type Key, key, type Operation } from "../index.ts";
import { createOperation, JwtClaims, type Principal, principalOf } from "../feature.ts";

declare const request: HttpRequest;
declare const operation: Operation;

export const asOperation: Operation = request;
// @ts-expect-error a message has no path
export const path: unknown = operation.path;
// @ts-expect-error an operation may be no request
export const asRequest: HttpRequest = operation;
export const narrowed: string | null = isHttpRequest(operation) ? operation.cookies.get("a") : null;
// @ts-expect-error values of other doors may be no text
export const id: string = operation.params["id"];
export const idOfRequest: string | undefined = request.params["id"];

const Tenant: Key<string | null> = key<string | null>("tenant", null);
const context: Context = new Context().set(Tenant, "north");
export const tenant: string | null = context.get(Tenant);
// @ts-expect-error a name carries no type
export const byName: string = context.get("tenant");
// @ts-expect-error the key says string or null
context.set(Tenant, 7);
// @ts-expect-error nothing proves yet that there is a token
export const subject: string = context.get(JwtClaims).sub;
export const principal: Principal | null = principalOf(operation, "account");
// @ts-expect-error a name of a user may be an account of the application
export const name: string | undefined = principal?.user;

createOperation({ kind: "message", name: "orders", headers: { a: ["b"], c: undefined } });
createOperation({ kind: "a-kind-of-its-own", name: "x", params: { count: 7 } });
// @ts-expect-error a name is needed
createOperation({ kind: "message" });
