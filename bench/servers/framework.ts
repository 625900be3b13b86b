/** The framework's side of the ratio: the same three answers as `raw.ts` among the 51 routes of a middling service. */
import { App, type StandardSchema } from "@framework/core";
import { routes } from "../router/routes.ts";
import { cpuTime } from "./vitals.ts";
import { greeting, isOrder, type Order } from "./workload.ts";

const orderSchema: StandardSchema<Order> = {
  "~standard": {
    version: 1,
    vendor: "bench",
    validate: (value) => (isOrder(value) ? { value } : { issues: [{ message: "must be an order" }] }),
  },
};

const app = new App();
for (const [method, path] of routes) {
  if (method === "GET") app.get(path, () => ({ path }));
  else app.route(path, { methods: [method as "POST"] }, () => ({ path }));
}
app.get("/json", () => greeting());
app.get("/users/{id}", (request) => ({ id: request.params.id }));
app.post("/echo", { body: orderSchema }, (request) => request.input.body);
app.get("/vitals/cpu", () => cpuTime());
await app.run();
