import {
  Context,
  type HttpRequest,
  isHttpRequest,
  type Key,
  key,
  type Invocation,
  type Response,
} from "../index.ts";
import { createInvocation, JwtClaims, type Principal, principalOf } from "../feature.ts";

declare const request: HttpRequest;
declare const invocation: Invocation;

export const asInvocation: Invocation = request;
// @ts-expect-error a message has no path
export const path: unknown = invocation.path;
// @ts-expect-error not every invocation is a request
export const asRequest: HttpRequest = invocation;
export const narrowed: string | null = isHttpRequest(invocation) ? invocation.cookies.get("a") : null;
// @ts-expect-error parameters of other kinds need not be strings
export const id: string = invocation.params["id"];
export const idOfRequest: string | undefined = request.params["id"];

const Tenant: Key<string | null> = key<string | null>("tenant", null);
const context: Context = new Context().set(Tenant, "north");
export const tenant: string | null = context.get(Tenant);
// @ts-expect-error a name carries no type
export const byName: string = context.get("tenant");
// @ts-expect-error the type of the key is string or null
context.set(Tenant, 7);

interface Place {
  readonly city: string;
  readonly street: string;
}
const At: Key<Place> = key<Place>("at", { city: "", street: "" });
declare const partial: Pick<Place, "city">;
declare const perhaps: Place | undefined;
declare const response: Response;
context.set(At, { city: "Bern", street: "Spitalgasse" }).set("at", partial).set("at", null);
request.setContext("at", perhaps);
export const stored = <T>(typed: Key<T>, value: T): Context => context.set(typed, value);
// @ts-expect-error the street is missing
context.set(At, partial);
// @ts-expect-error the value may be missing
context.set(At, perhaps);
// @ts-expect-error null is not a Place
request.setContext(At, null);
// @ts-expect-error the street is missing
response.annotate(At, partial);

// @ts-expect-error there may be no token
export const subject: string = context.get(JwtClaims).sub;
export const principal: Principal | null = principalOf(invocation, "account");
// @ts-expect-error the application may set its own user object
export const name: string | undefined = principal?.user;

createInvocation({ kind: "message", name: "orders", headers: { a: ["b"], c: undefined } });
createInvocation({ kind: "a-kind-of-its-own", name: "x", params: { count: 7 } });
// @ts-expect-error a name is needed
createInvocation({ kind: "message" });
