import { App, retry, retryPolicy, type RetryPolicy, timeout } from "../index.ts";

interface Order {
  readonly id: number;
}
interface Receipt {
  readonly accepted: boolean;
}

const retryOrder = retry<Order, Receipt>({
  policy: retryPolicy({ attempts: 5 }) satisfies RetryPolicy,
  isFailure: (receipt, order) => !receipt.accepted && order.id > 0,
  fallback: (attempts, order, last) => ({ accepted: attempts === order.id && "output" in last }),
});
// @ts-expect-error wrong input type
void retryOrder("order", () => ({ accepted: true }));
// @ts-expect-error wrong output type
void retryOrder({ id: 1 }, () => "accepted");
// @ts-expect-error an option that does not exist
retry<Order, Receipt>({ attempts: 5 });
// @ts-expect-error a field that does not exist
retryPolicy({ attempt: 5 });
// @ts-expect-error a policy is read-only
retryPolicy().attempts = 4;

const limitTime = timeout<Order, Receipt>({ timeoutMs: 10, fallback: (ms) => ({ accepted: ms > 0 }) });
// @ts-expect-error wrong output type
void limitTime({ id: 1 }, () => 1);

// For requests, the app determines the types.
new App()
  .use(retry({ isFailure: ({ status }, { method }) => method === "GET" && status >= 500 }))
  .use(timeout({ timeoutMs: 10, abort: (request, error) => request.abort(error) }));
