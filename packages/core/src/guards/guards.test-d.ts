import { GuardError } from "../errors/http-errors.ts";
import { App, type HttpRequest, type Invocation } from "../index.ts";
import { And, Not, Or } from "./combinators.ts";
import type { Guard, GuardObject } from "./guard.ts";
import { verifyGuards } from "./verify-guards.ts";

const pass: Guard = () => true;

export const guards: readonly Guard<HttpRequest>[] = [
  (request) => request.path.startsWith("/public"),
  (request) => (request.method === "GET" ? true : "Only GET"),
  () => {},
  () => {
    throw new GuardError("No", 402);
  },
  async (request) => request.getHeader("x-key") !== null,
  { check: (request) => request.route !== null },
  { name: "Named", passesAnonymousWhenNegated: true, check: async () => "no" },
  pass,
  And(() => true, [() => true]),
  Or([() => true]),
  Not({ check: () => true }),
  And(pass, (request: HttpRequest) => request.path === "/", [Or((request) => request.method === "GET")]),
];

export class AdminGuard implements GuardObject {
  readonly passesAnonymousWhenNegated = true;
  check({ headers, params, context, kind, name }: Invocation): boolean {
    return (
      headers.get("x-admin") === "yes" && params["id"] !== name && context.has("user") && kind === "grpc"
    );
  }
}
export class PathGuard implements GuardObject<HttpRequest> {
  check(request: HttpRequest): boolean {
    return request.path === "/";
  }
}
const byPath = (request: HttpRequest): boolean => request.path === "/";
export const byClass: Guard = new AdminGuard();
export const onRoutes: readonly Guard<HttpRequest>[] = [new AdminGuard(), new PathGuard(), byPath];

new App()
  .addGuard(new AdminGuard())
  .addGuard(byPath)
  .get(
    "/",
    { guards: [new AdminGuard(), new PathGuard(), (request) => request.path === "/", Not((r) => r.isXhr)] },
    () => 1,
  );

declare const request: HttpRequest;
declare const message: Invocation;
export const verified: readonly (void | Promise<void>)[] = [
  verifyGuards(guards, request, { explain: true }),
  verifyGuards([pass, new AdminGuard()], request),
  verifyGuards([pass, new AdminGuard(), (invocation) => invocation.kind === "message"], message),
];

// @ts-expect-error a guard of requests cannot check another invocation
void verifyGuards(guards, message);
// @ts-expect-error nor can an instance of a class
void verifyGuards([new PathGuard()], message);
// @ts-expect-error nor can a combination with such a guard
void verifyGuards([And(pass, byPath)], message);
// @ts-expect-error a guard for requests does not fit every entry point
export const everywhere: Guard = byPath;
// @ts-expect-error nor does an instance of a class
export const everywhereByClass: Guard = new PathGuard();
// @ts-expect-error nor does its negation
export const everywhereNegated: Guard = Not(byPath);
// @ts-expect-error a number is not a verdict
export const numeric: Guard = () => 1;
// @ts-expect-error null is not a verdict
export const nothing: Guard = async () => null;
// @ts-expect-error `check` is missing
export const without: Guard = { name: "x" };
// @ts-expect-error Not takes one guard
Not(pass, pass);
// @ts-expect-error a string is not a guard
And("Authenticated");
// @ts-expect-error the option is called explain
void verifyGuards(guards, request, { explains: true });
