import { get, post } from "../client/wire.ts";
import { greeting, orderText } from "../servers/workload.ts";

/** One request of the ratio and the body that every server must answer it with. */
export interface Workload {
  readonly name: string;
  readonly bytes: string;
  readonly body: string;
}

export const workloads: readonly Workload[] = [
  { name: "json", bytes: get("/json"), body: JSON.stringify(greeting()) },
  { name: "param", bytes: get("/users/4711"), body: JSON.stringify({ id: "4711" }) },
  { name: "echo", bytes: post("/echo", orderText), body: orderText },
];
