import { And, App, type Guard, Not, Or } from "../index.ts";

const byMethod: Guard = (request) => request.method === "GET";
const later: Guard = async (request) => (request.getHeader("x-key") === null ? "No key" : true);
const object: Guard = { check: () => true };

const app = new App()
  .addGuard(byMethod)
  .addGuard(And([later, object]))
  .addGuard(Or(byMethod, Not(object)));
app.get("/x", { guards: [byMethod, later, object] }, () => null);

// @ts-expect-error a number is no verdict
app.addGuard(() => 1);

// @ts-expect-error an object without check is no guard
app.addGuard({ verify: () => true });

// @ts-expect-error Not takes one guard
Not(byMethod, later);
