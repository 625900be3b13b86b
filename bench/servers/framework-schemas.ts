import type { StandardSchema } from "@framework/core";
import { isOrder, type Order, wholeNumber } from "./workload.ts";

/** Checks the body of a POST to `/echo`. */
export const order: StandardSchema<Order> = {
  "~standard": {
    version: 1,
    vendor: "bench",
    validate: (value) => (isOrder(value) ? { value } : { issues: [{ message: "must be an order" }] }),
  },
};

/** Checks and converts the parameter of `/users/{id}`. */
export const user: StandardSchema<{ readonly id: string }, { readonly id: number }> = {
  "~standard": {
    version: 1,
    vendor: "bench",
    validate: (value) => {
      const id = wholeNumber((value as { readonly id: string }).id);
      return id === null
        ? { issues: [{ message: "must be a whole number", path: ["id"] }] }
        : { value: { id } };
    },
  },
};
