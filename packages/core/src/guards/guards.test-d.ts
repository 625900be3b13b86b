import { GuardError } from "../errors/http-errors.ts";
import { And, Not, Or } from "./combinators.ts";
import type { Guard, GuardObject } from "./guard.ts";
import { verifyGuards } from "./verify-guards.ts";

export const guards: readonly Guard[] = [
  (request) => request.path.startsWith("/public"),
  (request) => (request.method === "GET" ? true : "Only GET"),
  () => {},
  () => {
    throw new GuardError("No", 402);
  },
  async (request) => request.getHeader("x-key") !== null,
  { check: (request) => request.route !== null },
  { name: "Named", guestsWhenNegated: true, check: async () => "no" },
  And(() => true, [() => true]),
  Or([() => true]),
  Not({ check: () => true }),
];

export class AdminGuard implements GuardObject {
  readonly guestsWhenNegated = true;
  check(): boolean {
    return false;
  }
}
export const byClass: Guard = new AdminGuard();

declare const request: Parameters<GuardObject["check"]>[0];
export const verified: void | Promise<void> = verifyGuards(guards, request, { explain: true });

// @ts-expect-error a number says nothing
export const numeric: Guard = () => 1;
// @ts-expect-error null says nothing
export const nothing: Guard = async () => null;
// @ts-expect-error `check` is missing
export const without: Guard = { name: "x" };
const pass: Guard = () => true;
// @ts-expect-error Not takes one guard
Not(pass, pass);
// @ts-expect-error a guard is no name
And("Authenticated");
// @ts-expect-error the option is called explain
void verifyGuards(guards, request, { explains: true });
